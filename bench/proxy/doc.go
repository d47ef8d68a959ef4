// Package proxy starts the proxies of a comparison, millrace and others, all
// with the same features: forwarding headers added, connections to the
// upstream kept (or not), metrics counted, no access log, one worker.
package proxy
