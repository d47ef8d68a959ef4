//go:build !race

package engine

import (
	"os"
	"testing"

	"millrace/engine/config"
)

// A line costs the request path no allocation, whatever is in it and whether it is taken.
func TestAccessLogAllocs(t *testing.T) {
	f := func(name string, c *config.AccessLog, change func(x *exchange)) {
		t.Helper()
		log, _ := quietLog(t, c)
		x, trail := finishedExchange(t)
		change(x)
		buffer := log.buffers[0]
		if n := testing.AllocsPerRun(5000, func() { buffer.ended(x, trail, "/api") }); n != 0 {
			t.Errorf("%s: %v allocations a line, want 0", name, n)
		}
	}
	same := func(*exchange) {}
	odd := func(x *exchange) { x.req.Target = []byte("/\"\\\x00\xff\u00e4\u2028") }
	refused := func(x *exchange) { x.target, x.cluster = nil, nil }
	f("off", nil, same)
	for _, format := range []config.LogFormat{config.FormatJSON, config.FormatCombined} {
		c := &config.AccessLog{Path: os.DevNull, Format: format}
		f(string(format), c, same)
		f(string(format)+" with escapes", c, odd)
		f(string(format)+" of a refused request", c, refused)
	}
}
