package h1

import (
	"strings"
	"testing"
)

func BenchmarkChunked(b *testing.B) {
	f := func(name string, size, chunks int) {
		b.Run(name, func(b *testing.B) {
			var one []byte
			one = append(AppendChunkSize(one, size), strings.Repeat("a", size)+"\r\n"...)
			raw := []byte(strings.Repeat(string(one), chunks) + "0\r\n\r\n")
			p := make([]byte, len(raw))
			var d Chunked
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				copy(p, raw)
				d.Reset()
				if body, _, done, err := d.Decode(p); len(body) != size*chunks || !done || err != nil {
					b.Fatal(len(body), done, err)
				}
			}
		})
	}
	f("one chunk of 16 KiB", 16<<10, 1)
	f("256 chunks of 64 bytes", 64, 256)
	f("1000 chunks of a byte", 1, 1000)
}
