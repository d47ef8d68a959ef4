package engine

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// Inputs that share a list keep their bytes whatever happens to the read buffer behind a
// keep, and never share memory.
func TestInputModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	list := &inputList{}
	const count = 4
	var inputs [count]input
	var models [count][]byte
	readBuffer := make([]byte, 3*inputSize)
	next := byte(0)
	for step := range 3000 {
		i := rng.IntN(count)
		in, model := &inputs[i], &models[i]
		for range 1 + rng.IntN(3) { // a callback
			switch rng.IntN(4) {
			case 0, 1:
				if len(in.bytes) > 0 && in.own == nil {
					in.keep(list) // the buffer is read into again
				}
				p := readBuffer[:1+rng.IntN(1+rng.IntN(len(readBuffer)))]
				for k := range p {
					next++
					p[k] = next
				}
				in.add(list, p)
				*model = append(*model, p...)
			case 2:
				n := rng.IntN(len(*model) + 1)
				in.use(n)
				*model = (*model)[n:]
			case 3:
				if rng.IntN(8) == 0 {
					in.release(list)
					*model = nil
				}
			}
		}
		in.keep(list)
		clear(readBuffer)
		for k := range inputs {
			if !bytes.Equal(inputs[k].bytes, models[k]) {
				t.Fatalf("step %d: input %d holds %d bytes, want %d others", step, k, len(inputs[k].bytes), len(models[k]))
			}
			if (inputs[k].own != nil) != (len(models[k]) > 0) {
				t.Fatalf("step %d: input %d with %d bytes has memory: %v", step, k, len(models[k]), inputs[k].own != nil)
			}
		}
		if owner, twice := shared(list, inputs[:]); twice {
			t.Fatalf("step %d: memory of %d bytes is held twice", step, cap(owner))
		}
	}
}

// shared finds memory that is in two places.
func shared(list *inputList, inputs []input) ([]byte, bool) {
	seen := map[*byte]bool{}
	all := append([][]byte(nil), list.free...)
	for i := range inputs {
		if inputs[i].own != nil {
			all = append(all, inputs[i].own)
		}
	}
	for _, b := range all {
		at := unsafe.SliceData(b[:1])
		if seen[at] {
			return b, true
		}
		seen[at] = true
	}
	return nil, false
}

// The list is bounded, and takes no buffer that grew beyond the ordinary.
func TestInputListIsBounded(t *testing.T) {
	l := &inputList{}
	for range 2 * keepInputs {
		l.put(make([]byte, 0, inputSize))
		l.put(make([]byte, 0, 8*inputSize))
	}
	if len(l.free) != keepInputs {
		t.Errorf("%d buffers are kept, want %d", len(l.free), keepInputs)
	}
	for _, b := range l.free {
		if cap(b) != inputSize {
			t.Errorf("a buffer of %d bytes is kept", cap(b))
		}
	}
	for range keepInputs + 1 {
		if b := l.get(); len(b) != 0 || cap(b) < inputSize {
			t.Errorf("got %d bytes of %d", len(b), cap(b))
		}
	}
}
