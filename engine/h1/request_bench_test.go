package h1

import "testing"

// typical is a head as a browser or an API client sends it: ten fields.
const typical = "GET /api/v1/items/4711?page=2&sort=name HTTP/1.1\r\n" +
	"Host: www.example.com\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
	"Accept-Language: en-US,en;q=0.5\r\n" +
	"Accept-Encoding: gzip, deflate, br\r\n" +
	"Connection: keep-alive\r\n" +
	"Referer: https://www.example.com/start\r\n" +
	"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n" +
	"Cache-Control: no-cache\r\n" +
	"X-Requested-With: XMLHttpRequest\r\n\r\n"

// least is what a load generator sends.
const least = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"

var benchLimits = &Limits{HeadBytes: 32 << 10, FieldCount: 128, TargetBytes: 8 << 10}

func BenchmarkFindRequestHead(b *testing.B) {
	raw := []byte(typical)
	b.ReportAllocs()
	for b.Loop() {
		if end, _, err := FindRequestHead(raw, 0, benchLimits); end != len(raw) || err != nil {
			b.Fatal(end, err)
		}
	}
}

func BenchmarkParseRequest(b *testing.B) {
	f := func(name, head string) {
		b.Run(name, func(b *testing.B) {
			p, raw := NewRequestParser(), []byte(head)
			var r Request
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Parse(&r, raw, benchLimits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	f("typical", typical)
	f("least", least)
}

// BenchmarkOwnScan is Parse without the second reading.
func BenchmarkOwnScan(b *testing.B) {
	f := func(name, head string) {
		b.Run(name, func(b *testing.B) {
			raw := []byte(head)
			var r Request
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.scanHead(raw, benchLimits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	f("typical", typical)
	f("least", least)
}

func BenchmarkParseResponse(b *testing.B) {
	raw := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n" +
		"Content-Type: text/html; charset=utf-8\r\nContent-Length: 66\r\nConnection: keep-alive\r\n" +
		"ETag: \"65920080-42\"\r\nAccept-Ranges: bytes\r\n\r\n")
	var r Response
	b.ReportAllocs()
	for b.Loop() {
		if err := ParseResponse(&r, raw, benchLimits); err != nil {
			b.Fatal(err)
		}
	}
}
