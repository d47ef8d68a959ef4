// Command soak loads a running proxy with clients and upstreams that behave in every way
// the network allows, rewrites its configuration meanwhile, and checks that nothing is left
// behind afterwards: no descriptor, goroutine, connection, permit or memory. Every answer that
// is read whole is compared with what was sent, byte by byte. It works on Linux only.
package main
