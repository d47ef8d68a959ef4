package main

import (
	"fmt"
	"io"

	"millrace/engine/config"
)

// demoConfig is the configuration of "run -demo": a proxy in front of two upstreams.
const demoConfig = `
workers: 1
listeners: ["127.0.0.1:8080"]
admin: {address: "127.0.0.1:9090"}
log: {format: text}
routes:
  - proxy: {algorithm: round_robin, upstreams: ["http://%s", "http://%s"]}
`

// runDemo starts two echo upstreams and a proxy in front of them, and says how to try it.
func runDemo(stdout, stderr io.Writer) int {
	var upstreams [2]string
	for i := range upstreams {
		addr, stop, err := startEcho("127.0.0.1:0", echoOptions{})
		if err != nil {
			fmt.Fprintf(stderr, "run: cannot start an upstream: %v\n", err)
			return exitFailed
		}
		defer stop()
		upstreams[i] = addr
	}
	c, err := config.Parse("demo", fmt.Appendf(nil, demoConfig, upstreams[0], upstreams[1]))
	if err != nil {
		fmt.Fprintf(stderr, "run: BUG: %v\n", err)
		return exitFailed
	}
	p := &process{config: c, logs: newQueuedLog(stderr, c.Log)}
	defer p.logs.flush()
	return p.run(func() {
		proxy := p.engine.Addresses()[0]
		fmt.Fprintf(stdout, "upstreams http://%s and http://%s\n", upstreams[0], upstreams[1])
		fmt.Fprintf(stdout, "proxy     http://%s   try: curl -i http://%s/hello\n", proxy, proxy)
		fmt.Fprintf(stdout, "metrics   http://%s/metrics\n", c.Admin.Address.HostPort())
	})
}
