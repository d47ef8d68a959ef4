// Command flood sends forged announcements to a running millrace while clients are served, and
// compares with how it goes without them: latency, memory, and whether its members stay.
package main
