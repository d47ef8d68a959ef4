package engine

import (
	"sync/atomic"

	"millrace/engine/stats"
)

// Sizes of the access log.
const (
	pageFull  = 32 << 10             // bytes of lines after which a page gets no other one
	lineLimit = 40 << 10             // bytes of the longest line
	pageSize  = pageFull + lineLimit // so that the last line fits as well
	pageCount = 32                   // of a worker, at most
	pagesHigh = 8                    // pages that wait to be written before their time
)

// A linePage holds lines of one worker, one behind the other.
type linePage struct {
	ready atomic.Int64 // bytes of whole lines; written by the worker
	text  [pageSize]byte
}

// An accessBuffer has the lines of one worker on their way to the log, in the order of
// their exchanges' ends. The worker fills pages, and the log's goroutine writes them from
// where they are. Neither ever waits for the other: a line for which there is no room is
// dropped and counted.
//
// Unless a field says otherwise, only the worker touches it.
type accessBuffer struct {
	log    *accessLog
	sheet  *stats.Sheet
	clock  wallClock
	second secondText
	id     []byte // of the request at hand

	page   *linePage   // that is being filled; nil = none yet
	length int         // bytes of lines in it
	free   []*linePage // the one written last at the end, since caches may still have it
	made   int         // pages that there are
	back   uint64      // pages that came back to free

	// pages has those that were begun and are not back: page number n in place n%pageCount.
	// A place is the goroutine's from the count in begun until the one in done.
	pages [pageCount]*linePage

	_     [64]byte
	begun atomic.Uint64 // pages begun; written by the worker
	_     [56]byte
	done  atomic.Uint64 // pages written; written by the goroutine
	read  int           // bytes written of page number done; the goroutine's
	_     [48]byte
}

// room is where the next line goes: an empty slice to append it to. It is nil if there is
// no room, and the line is counted as dropped.
func (b *accessBuffer) room() []byte {
	if b.page == nil || b.length >= pageFull {
		if !b.turn() {
			b.sheet.Inc(stats.AccessLogDropped)
			return nil
		}
	}
	return b.page.text[b.length:b.length]
}

// turn begins another page. It returns false when all are full and not written yet.
func (b *accessBuffer) turn() bool {
	done := b.done.Load()
	for ; b.back < done; b.back++ {
		b.free = append(b.free, b.pages[b.back%pageCount])
	}
	var p *linePage
	switch n := len(b.free); {
	case n > 0:
		p, b.free = b.free[n-1], b.free[:n-1]
		p.ready.Store(0)
	case b.made < pageCount:
		p = new(linePage)
		b.made++
	default:
		return false
	}
	begun := b.begun.Load()
	b.page, b.length = p, 0
	b.pages[begun%pageCount] = p
	b.begun.Store(begun + 1)
	if begun-done == pagesHigh {
		b.log.rouse()
	}
	return true
}

// add hands over the line that was appended to what room gave. It ends with its only line
// feed.
func (b *accessBuffer) add(line []byte) {
	if b.length+len(line) > pageSize { // it did not fit, and is not in the page
		b.sheet.Inc(stats.AccessLogDropped)
		return
	}
	b.length += len(line)
	b.page.ready.Store(int64(b.length))
	if b.log.asleep.Load() {
		b.log.rouse()
	}
}

// next is the lines that are to be written next, empty if there are none. It is for the
// log's goroutine, which tells by wrote what became of them.
func (b *accessBuffer) next() []byte {
	for {
		done, begun := b.done.Load(), b.begun.Load()
		if done == begun {
			return nil
		}
		p := b.pages[done%pageCount]
		if ready := int(p.ready.Load()); b.read < ready {
			return p.text[b.read:ready]
		}
		if begun-done == 1 {
			return nil // the worker may add to this one
		}
		b.read = 0
		b.done.Store(done + 1)
	}
}

// wrote has the next n bytes behind the goroutine.
func (b *accessBuffer) wrote(n int) { b.read += n }
