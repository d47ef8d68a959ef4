package main

import (
	"io"
	"strings"
	"testing"
)

func TestPatternIsTheSameHoweverItIsRead(t *testing.T) {
	const size = 10_000
	whole := make([]byte, size)
	(&pattern{seed: 5}).Read(whole)
	for _, step := range []int{1, 3, 8, 17, 4096} {
		p := &pattern{seed: 5}
		var got []byte
		for len(got) < size {
			part := make([]byte, min(step, size-len(got)))
			p.Read(part)
			got = append(got, part...)
		}
		if string(got) != string(whole) {
			t.Errorf("read by %d it is another text", step)
		}
	}
	other := make([]byte, size)
	(&pattern{seed: 6}).Read(other)
	if string(other) == string(whole) {
		t.Error("another seed gives the same text")
	}
}

func TestMatcherFindsEachWrongByte(t *testing.T) {
	const size = 9000
	for _, at := range []int{0, 1, 4095, 4096, 8999} {
		text := make([]byte, size)
		(&pattern{seed: 7}).Read(text)
		text[at] ^= 0x10
		n, err := (&matcher{pattern{seed: 7}}).Write(text)
		if n != at || err == nil {
			t.Errorf("byte %d is wrong: got %d, %v", at, n, err)
		}
	}
	m := &matcher{pattern{seed: 7}}
	if n, err := io.CopyN(m, &pattern{seed: 7}, size); n != size || err != nil {
		t.Errorf("the right text: got %d, %v", n, err)
	}
	if _, err := m.Write([]byte("more")); err == nil || !strings.Contains(err.Error(), "byte 9000 ") {
		t.Errorf("wrong text behind the right one: got %v", err)
	}
}
