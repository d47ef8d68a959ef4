package main

import "testing"

func TestAnswer(t *testing.T) {
	const behind = "HTTP/1.1 2"
	f := func(text string, bare bool, wantStatus int, wantCloses bool) {
		t.Helper()
		// However the text is cut in two, the outcome is the same.
		for cut := range len(text) {
			a := answer{bare: bare}
			first, done, err := a.feed([]byte(text[:cut]))
			if err != nil || done || first != cut {
				t.Errorf("%q cut at %d: first part took %d, done %v, %v", text, cut, first, done, err)
				continue
			}
			n, done, err := a.feed([]byte(text[cut:] + behind))
			if err != nil || !done || n != len(text)-cut {
				t.Errorf("%q cut at %d: second part took %d, done %v, %v", text, cut, n, done, err)
			}
			if a.status != wantStatus || a.closes != wantCloses {
				t.Errorf("%q: status %d, closes %v", text, a.status, a.closes)
			}
		}
	}
	f("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, 200, false)
	f("HTTP/1.1 200 OK\r\ncontent-length:0\r\nConnection: Close\r\n\r\n", false, 200, true)
	f("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n\r\n", false, 503, false)
	f("HTTP/1.1 204 No Content\r\n\r\n", false, 204, false)
	f("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false, 304, false)
	f("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", true, 200, false)
	f("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", false, 200, false)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n", false, 200, false)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n", false, 200, false)
}

func TestAnswerToTheEnd(t *testing.T) {
	var a answer
	n, done, err := a.feed([]byte("HTTP/1.0 200 OK\r\n\r\nabc"))
	if n != 22 || done || err != nil || !a.ends() || !a.closes {
		t.Errorf("took %d, done %v, %v, ends %v, closes %v", n, done, err, a.ends(), a.closes)
	}
}

func TestAnswerRefuses(t *testing.T) {
	f := func(text string) {
		t.Helper()
		var a answer
		if n, done, err := a.feed([]byte(text)); err == nil {
			t.Errorf("%.40q: took %d, done %v, want an error", text, n, done)
		}
	}
	f("HTTP/2.0 200 OK\r\n\r\n")
	f("HTTP/1.1 2x0 OK\r\n\r\n")
	f("\r\n\r\n")
	f("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")
	f("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n")
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
	f(string(make([]byte, headLimit+1)))
}

func TestAnswersInARow(t *testing.T) {
	var a answer
	for range 3 {
		n, done, err := a.feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
		if n != 40 || !done || err != nil || a.status != 200 {
			t.Fatalf("took %d, done %v, %v", n, done, err)
		}
		a.next()
	}
}
