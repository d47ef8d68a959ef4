package engine

import (
	"net/netip"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"millrace/engine/config"
)

// typicalRecord is an ordinary request that was proxied.
func typicalRecord() accessRecord {
	return accessRecord{
		second:     []byte("2026-02-03T04:05:06"),
		fraction:   7_890_123,
		duration:   1_234_567,
		ttfb:       1_000_000,
		remote:     netip.MustParseAddr("192.0.2.17"),
		method:     []byte("GET"),
		host:       []byte("shop.example.com"),
		target:     []byte("/api/v1/articles/4711?color=blue&size=XL&page=2"),
		protocol:   "HTTP/1.1",
		referer:    []byte("https://shop.example.com/catalogue"),
		userAgent:  []byte("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
		status:     200,
		bytesOut:   5120,
		route:      "shop.example.com/api",
		cluster:    "articles",
		requestID:  []byte("0123456789abcdef"),
		proxied:    true,
		backendURL: "http://10.0.0.7:8080",
		reused:     true,
		circuit:    "closed",
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	r := typicalRecord()
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		line = appendJSON(line[:0], &r)
	}
	b.SetBytes(int64(len(line)))
}

func BenchmarkAppendCombined(b *testing.B) {
	r := typicalRecord()
	r.second = []byte("03/Feb/2026:04:05:06")
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		line = appendCombined(line[:0], &r)
	}
	b.SetBytes(int64(len(line)))
}

// BenchmarkAccessLog is all that one request costs: the line made of its exchange, handed
// over and written to a file. cpu-ns/op is what loop and goroutine use together; where ns/op
// is more, the loop was made to wait for the file system, which outside of this benchmark it
// never does.
func BenchmarkAccessLog(b *testing.B) {
	f := func(format config.LogFormat) {
		b.Run(string(format), func(b *testing.B) {
			log, registry := quietLog(b, &config.AccessLog{Path: filepath.Join(b.TempDir(), "access.log"), Format: format})
			x, trail := finishedExchange(b)
			buffer := log.buffers[0]
			begin := processorTime(b)
			b.ReportAllocs()
			for b.Loop() {
				buffer.ended(x, trail, "shop.example.com/api")
				for buffer.begun.Load()-buffer.done.Load() == pageCount {
					time.Sleep(time.Millisecond)
				}
			}
			log.Close(10 * time.Second)
			b.ReportMetric(float64(processorTime(b)-begin)/float64(b.N), "cpu-ns/op")
			if n := droppedLines(b, registry); n > 0 {
				b.Errorf("%d lines of %d were dropped", n, b.N)
			}
		})
	}
	f(config.FormatJSON)
	f(config.FormatCombined)
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
