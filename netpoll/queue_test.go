package netpoll

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// The queue against a bytes.Buffer, with random pieces.
func TestQueueIsABuffer(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 0))
		var (
			q      outQueue
			blocks blockList
			model  bytes.Buffer
			serial byte
		)
		for range 400 {
			switch r.IntN(3) {
			case 0, 1:
				p := make([]byte, r.IntN(3*blockSize)>>r.IntN(12))
				for i := range p {
					serial++
					p[i] = serial
				}
				q.append(&blocks, p)
				model.Write(p)
			case 2:
				n := r.IntN(model.Len()+1) >> r.IntN(3)
				q.discard(&blocks, n)
				model.Next(n)
			}
			checkQueue(t, &q, model.Bytes(), 1+r.IntN(maxParts))
		}
		q.discard(&blocks, q.size)
		checkQueue(t, &q, nil, maxParts)
		if blocks.count > keepBlocks {
			t.Errorf("seed %d: %d blocks are kept", seed, blocks.count)
		}
	}
}

// checkQueue fails the test unless q holds want, and gives the beginning of it as parts.
func checkQueue(t *testing.T, q *outQueue, want []byte, most int) {
	t.Helper()
	if q.size != len(want) {
		t.Fatalf("size = %d, want %d", q.size, len(want))
	}
	if (q.head == nil) != (len(want) == 0) || (q.tail == nil) != (len(want) == 0) {
		t.Fatalf("%d bytes: head %p, tail %p", len(want), q.head, q.tail)
	}
	parts := make([][]byte, most)
	k := q.parts(parts)
	got := bytes.Join(parts[:k], nil)
	if !bytes.HasPrefix(want, got) {
		t.Fatalf("the parts are not the first bytes")
	}
	if k < most && len(got) != len(want) {
		t.Fatalf("%d of %d parts hold %d bytes of %d", k, most, len(got), len(want))
	}
	for _, p := range parts[:k] {
		if len(p) == 0 {
			t.Fatal("a part is empty")
		}
	}
}

func TestQueueKeepsSomeBlocks(t *testing.T) {
	var (
		q      outQueue
		blocks blockList
	)
	q.append(&blocks, make([]byte, (keepBlocks+10)*blockSize))
	q.discard(&blocks, q.size)
	if blocks.count != keepBlocks {
		t.Fatalf("%d blocks are kept, want %d", blocks.count, keepBlocks)
	}
	q.append(&blocks, make([]byte, 10*blockSize))
	if blocks.count != keepBlocks-10 {
		t.Fatalf("%d blocks are kept, want %d", blocks.count, keepBlocks-10)
	}
}

func TestBlockFillsItsAllocation(t *testing.T) {
	if size := unsafe.Sizeof(block{}); size > 16<<10 {
		t.Errorf("a block has %d bytes", size)
	}
}
