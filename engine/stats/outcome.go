package stats

import (
	"strconv"
	"sync/atomic"
)

// untimed is the duration of a request that has none.
const untimed = -1

const (
	firstStatus  = 100
	statusCount  = 500         // 100 to 599
	otherStatus  = statusCount // index of every other status
	classSize    = 100
	classCount   = statusCount/classSize + 1
	statusValues = statusCount + 1
)

// outcomes counts the requests of one worker by status and duration. Its
// memory grows with the statuses that occur: one cell each, reached by way of
// its class. Made for one writer; correct with several.
type outcomes struct {
	classes [classCount]atomic.Pointer[statusClass]
}

// A statusClass holds the cells of 100 statuses.
type statusClass [classSize]atomic.Pointer[cell]

// A cell counts the requests with one status. It fills three cache lines: the
// first holds the sum and the buckets of quick requests.
type cell struct {
	without atomic.Int64 // requests without a duration
	timed   histogram
	_       [48]byte
}

// statusIndex maps a status to 0..otherStatus.
func statusIndex(status int) uint {
	if i := uint(status - firstStatus); i < statusCount {
		return i
	}
	return otherStatus
}

// observe counts a request that took ns nanoseconds; below 0 it has no
// duration.
func (o *outcomes) observe(status int, ns int64) {
	c := o.cell(statusIndex(status))
	if ns < 0 {
		c.without.Add(1)
		return
	}
	c.timed.observe(&requestScale, ns)
}

func (o *outcomes) cell(index uint) *cell {
	if class := o.classes[index/classSize].Load(); class != nil {
		if c := class[index%classSize].Load(); c != nil {
			return c
		}
	}
	return o.newCell(index)
}

func (o *outcomes) newCell(index uint) *cell {
	at := &o.classes[index/classSize]
	at.CompareAndSwap(nil, new(statusClass))
	slot := &at.Load()[index%classSize]
	slot.CompareAndSwap(nil, new(cell))
	return slot.Load()
}

// statusTotals are requests by status index.
type statusTotals [statusValues]int64

// addTo adds the requests by status to t.
func (o *outcomes) addTo(t *statusTotals) {
	o.each(func(index int, c *cell) { t[index] += c.without.Load() + c.timed.count() })
}

// addTimes adds the durations to t.
func (o *outcomes) addTimes(t *times) {
	o.each(func(_ int, c *cell) { t.add(&c.timed) })
}

func (o *outcomes) each(f func(index int, c *cell)) {
	for k := range o.classes {
		class := o.classes[k].Load()
		if class == nil {
			continue
		}
		for i := range class {
			if c := class[i].Load(); c != nil {
				f(k*classSize+i, c)
			}
		}
	}
}

// statusValue is the label value of a status index.
func statusValue(index int) string {
	if index == otherStatus {
		return "other"
	}
	return strconv.Itoa(firstStatus + index)
}
