package netpoll

const (
	blockSize  = 16<<10 - 24 // bytes; a block is 16 KiB, which the allocator rounds to no more
	keepBlocks = 64          // blocks a loop keeps for later, 1 MiB
)

// block is one piece of a queue, owned by its loop.
type block struct {
	next  *block
	start int
	end   int
	data  [blockSize]byte
}

// blockList keeps some of a loop's free blocks; the others go back to the collector.
type blockList struct {
	free  *block
	count int
}

func (l *blockList) get() *block {
	b := l.free
	if b == nil {
		return new(block)
	}
	l.free, b.next = b.next, nil
	l.count--
	b.start, b.end = 0, 0
	return b
}

func (l *blockList) put(b *block) {
	if l.count < keepBlocks {
		b.next, l.free = l.free, b
		l.count++
	}
}

// outQueue holds the bytes that a socket has not taken yet.
type outQueue struct {
	head, tail *block
	size       int
}

func (q *outQueue) append(blocks *blockList, p []byte) {
	q.size += len(p)
	for len(p) > 0 {
		if q.tail == nil || q.tail.end == blockSize {
			b := blocks.get()
			if q.tail == nil {
				q.head = b
			} else {
				q.tail.next = b
			}
			q.tail = b
		}
		n := copy(q.tail.data[q.tail.end:], p)
		q.tail.end += n
		p = p[n:]
	}
}

// parts fills dst with the first bytes of the queue, in order, and returns how many parts
// it used.
func (q *outQueue) parts(dst [][]byte) int {
	k := 0
	for b := q.head; b != nil && k < len(dst); b = b.next {
		dst[k] = b.data[b.start:b.end]
		k++
	}
	return k
}

// discard drops the first n bytes.
func (q *outQueue) discard(blocks *blockList, n int) {
	q.size -= n
	for n > 0 {
		b := q.head
		if b.end-b.start > n {
			b.start += n
			return
		}
		n -= b.end - b.start
		q.head = b.next
		if q.head == nil {
			q.tail = nil
		}
		blocks.put(b)
	}
}
