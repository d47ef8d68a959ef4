// Package upstream starts what stands behind the proxies of a comparison. It
// answers "/" with 66 bytes and "/large" with 10 MB, and takes uploads of any
// size. Its cost is not measured, but it has to be faster than any proxy.
package upstream
