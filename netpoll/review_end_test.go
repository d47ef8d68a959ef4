package netpoll_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"millrace/netpoll"
)

// What the other side says while it takes what is queued makes the close no reset, also if
// nobody asked for it to be heard out.
func TestReviewEndWithWordsInBetween(t *testing.T) {
	r := newRig(t)
	c, other := r.pair(&handler{})
	sent := noise(16 << 20) // more than the kernel takes
	r.do(func() {
		_ = c.Write(sent)
		c.End(netpoll.Lingering{WriteIdle: 20 * time.Second, Silence: 20 * time.Second, Total: 20 * time.Second}, nil)
	})
	if _, err := other.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond) // until it is there
	got, err := io.ReadAll(other)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes of %d, %v", len(got), len(sent), err)
	}
}
