// Package process starts the programs of a comparison, measures them through
// /proc, and stops them. Measuring works on Linux only.
package process
