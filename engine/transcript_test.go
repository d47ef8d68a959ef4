package engine_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each file of testdata/exchange is what four ends saw and sent, in order. Sections top,
// route and cluster hold configuration. The others are steps: "client" or "upstream", with
// a number for a connection other than the first, and what it does:
//
//	sends, sees          the bytes that follow, exactly
//	ends, sees end       its end of stream
//	resets, sees reset   a reset
//	sees gone            one of the two
//
// A line stands for itself and CRLF, or for itself alone if it ends in a backslash.
// Escapes are those of Go. {forwarding} are the fields that every upstream gets, {port} is
// the listener's, {upstream} the authority of the upstream, {date} any date.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/exchange/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, string(text))
		})
	}
}

// A section is a headed part of a transcript.
type section struct{ head, body string }

// sections splits a transcript. Lines before the first head are a comment.
func sections(text string) (all []section) {
	for line := range strings.Lines(text) {
		head, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		if head, closed := strings.CutSuffix(head, " --"); ok && closed {
			all = append(all, section{head: head})
		} else if n := len(all); n > 0 {
			all[n-1].body += line
		}
	}
	return all
}

// A stage is the two sides of a transcript.
type stage struct {
	t         *testing.T
	proxy     *proxy
	upstream  *upstream
	clients   []*wire
	upstreams []*wire
}

func play(t *testing.T, text string) {
	var s setup
	var steps []section
	for _, sec := range sections(text) {
		switch sec.head {
		case "top":
			s.top = sec.body
		case "route":
			s.route = sec.body
		case "cluster":
			s.cluster = sec.body
		default:
			steps = append(steps, sec)
		}
	}
	st := &stage{t: t, upstream: listen(t)}
	st.proxy = s.run(t, st.upstream)
	for _, step := range steps {
		st.step(step)
	}
	st.over()
}

// over makes sure that nothing was said beyond the transcript.
func (st *stage) over() {
	st.proxy.engine.Stop()
	st.upstream.unasked()
	for _, w := range append(st.clients, st.upstreams...) {
		if got := w.rest(nil); got != "" {
			st.t.Errorf("%s saw more than it should have: %q", w.name, got)
		}
	}
}

func (st *stage) step(step section) {
	st.t.Helper()
	words := strings.Fields(step.head)
	n, rest := 1, words[1:]
	if i, err := strconv.Atoi(rest[0]); err == nil {
		n, rest = i, rest[1:]
	}
	w := st.wire(words[0], n)
	switch act := strings.Join(rest, " "); act {
	case "sends":
		w.send(st.bytes(step.body))
	case "sees":
		st.sees(w, st.bytes(step.body))
	case "ends":
		w.end()
	case "resets":
		w.reset()
	case "sees end":
		w.seeEnd()
	case "sees reset":
		w.seeReset()
	case "sees gone":
		w.seeGone()
	default:
		st.t.Fatalf("no such step: %s", step.head)
	}
}

// wire is the n-th connection of a side, from 1, opened or accepted when it is first
// named.
func (st *stage) wire(side string, n int) *wire {
	st.t.Helper()
	all, open := &st.clients, st.proxy.dial
	switch side {
	case "client":
	case "upstream":
		all, open = &st.upstreams, st.upstream.accept
	default:
		st.t.Fatalf("no such side: %s", side)
	}
	for len(*all) < n {
		w := open()
		w.name = side + " " + strconv.Itoa(len(*all)+1)
		*all = append(*all, w)
	}
	return (*all)[n-1]
}

// sees wants text, in which {date} stands for any date.
func (st *stage) sees(w *wire, text string) {
	st.t.Helper()
	parts := strings.Split(text, "{date}")
	w.see(parts[0])
	for _, part := range parts[1:] {
		date := make([]byte, len(http.TimeFormat))
		for n := 0; n < len(date); {
			k, err := w.conn.Read(date[n:])
			if err != nil {
				st.t.Fatalf("%s: %v", w.name, err)
			}
			n += k
		}
		if _, err := http.ParseTime(string(date)); err != nil {
			st.t.Errorf("%s: %v", w.name, err)
		}
		w.see(part)
	}
}

// bytes are what the lines of a step stand for.
func (st *stage) bytes(body string) string {
	st.t.Helper()
	body = strings.NewReplacer(
		"{forwarding}\n", strings.ReplaceAll(st.proxy.forwarding(), "\r\n", "\n"),
		"{port}", st.proxy.port,
		"{upstream}", st.upstream.authority(),
	).Replace(body)
	var out bytes.Buffer
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		end := "\r\n"
		if plain := strings.TrimRight(line, `\`); (len(line)-len(plain))%2 == 1 {
			line, end = line[:len(line)-1], ""
		}
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil {
			st.t.Fatalf("%q: %v", line, err)
		}
		out.WriteString(text + end)
	}
	return out.String()
}
