package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"millrace/engine/stats"
)

// looseBuffer is a buffer whose log does not run.
func looseBuffer(t *testing.T) (*accessBuffer, *stats.Registry) {
	t.Helper()
	registry := stats.New(1)
	log, err := newAccessLog(nil, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	return log.buffers[0], registry
}

// What is put in comes out, in order and in whole lines, however far the goroutine is behind.
func TestAccessBufferKeepsLines(t *testing.T) {
	b, registry := looseBuffer(t)
	random := rand.New(rand.NewPCG(1, 2))
	var put, taken bytes.Buffer
	for range 4000 {
		line := fmt.Sprintf("%d %s", put.Len(), strings.Repeat("x", random.IntN(4000)))
		b.put(line)
		put.WriteString(line + "\n")
		if random.IntN(3) == 0 {
			lines := b.next()
			if n := len(lines); n > 0 && lines[n-1] != '\n' {
				t.Fatalf("%q is to be written", lines)
			}
			taken.Write(lines)
			b.wrote(len(lines))
		}
		if put.Len()-taken.Len() > pageFull*pageCount/2 {
			taken.Write(b.takeAll())
		}
	}
	taken.Write(b.takeAll())
	if !bytes.Equal(put.Bytes(), taken.Bytes()) {
		t.Errorf("%d bytes put in, %d other ones taken", put.Len(), taken.Len())
	}
	if n := b.begun.Load(); n < 4*pageCount {
		t.Errorf("only %d pages were filled, of %d", n, pageCount)
	}
	if n := droppedLines(t, registry); n != 0 {
		t.Errorf("%d lines dropped", n)
	}
}

// Memory is bounded: what it cannot hold is dropped and counted.
func TestAccessBufferDrops(t *testing.T) {
	b, registry := looseBuffer(t)
	line := strings.Repeat("x", 1023)
	const fits = pageCount * pageFull / 1024
	for range fits + 3 {
		b.put(line)
	}
	if n := droppedLines(t, registry); n != 3 || b.made != pageCount {
		t.Errorf("%d lines dropped, want 3, with %d pages", n, b.made)
	}
	if got := b.takeAll(); string(got) != strings.Repeat(line+"\n", fits) {
		t.Errorf("%d bytes taken, which are not those put in", len(got))
	}
	b.put("room")
	if got := b.takeAll(); string(got) != "room\n" || droppedLines(t, registry) != 3 {
		t.Errorf("%q taken", got)
	}
}

// A goroutine that keeps up keeps to the pages that caches have.
func TestAccessBufferTakesTheLastPageAgain(t *testing.T) {
	b, _ := looseBuffer(t)
	for range 20 * pageFull / 1000 {
		b.put(strings.Repeat("x", 1000))
		b.takeAll()
	}
	if b.made > 2 {
		t.Errorf("%d pages made", b.made)
	}
}

func TestAccessBufferRefusesLongLines(t *testing.T) {
	b, registry := looseBuffer(t)
	b.put(strings.Repeat("x", pageFull-2)) // the most that still leaves room for another line
	b.put(strings.Repeat("y", lineLimit))
	if n := len(b.takeAll()); n != pageFull-1+lineLimit+1 {
		t.Errorf("%d bytes taken", n)
	}
	b.put(strings.Repeat("x", pageSize))
	if n, left := droppedLines(t, registry), b.takeAll(); n != 1 || len(left) != 0 {
		t.Errorf("%d lines dropped, %d bytes taken", n, len(left))
	}
	b.put("next")
	if got := b.takeAll(); string(got) != "next\n" {
		t.Errorf("%q taken", got)
	}
}

// The goroutine is roused by the first line after it went to rest, and when many wait.
func TestAccessBufferRouses(t *testing.T) {
	b, _ := looseBuffer(t)
	f := func(what string, want bool) {
		t.Helper()
		got := false
		select {
		case <-b.log.roused:
			got = true
		default:
		}
		if got != want {
			t.Errorf("%s: roused: %v, want %v", what, got, want)
		}
	}
	line := strings.Repeat("x", 1023)
	for range pagesHigh * pageFull / 1024 {
		b.put(line)
		f("lines that are gathered", false)
	}
	b.put(line)
	f("many lines", true)
	b.put(line)
	f("one more", false)
	b.log.asleep.Store(true)
	b.put(line)
	f("at rest", true)
}
