package engine_test

import (
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails the run if a test left a descriptor or a goroutine behind.
func TestMain(m *testing.M) {
	warmUp()
	_ = flag.Set("test.parallel", "16") // most only wait; the command line has the last word
	descriptors, goroutines := openDescriptors(), runtime.NumGoroutine()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // fuzzing keeps goroutines of its own
	if !fuzzing && !settles(func() bool { return openDescriptors() <= descriptors && runtime.NumGoroutine() <= goroutines }) {
		fmt.Fprintf(os.Stderr, "left behind: %d descriptors of %d, %d goroutines of %d\n%s",
			openDescriptors(), descriptors, runtime.NumGoroutine(), goroutines, stacks())
		code = 1
	}
	os.Exit(code)
}

// heavy is t.Parallel for a test that does not only wait: few of these run at a time, so
// that the others have the CPU when their time has come. It has no parallel subtests, which
// would wait for those that wait for it.
func heavy(t *testing.T) {
	t.Helper()
	t.Parallel()
	heavyOnes <- struct{}{}
	t.Cleanup(func() { <-heavyOnes })
}

var heavyOnes = make(chan struct{}, 2)

// warmUp has the Go runtime open the descriptors that it keeps.
func warmUp() {
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close()
	}
}

// openDescriptors counts this process's descriptors, 0 where the system does not tell.
func openDescriptors() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// settles reports whether cond becomes true within the patience of a test.
func settles(cond func() bool) bool {
	for limit := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			return false
		}
	}
	return true
}

// eventually fails the test when cond stays false.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !settles(cond) {
		t.Fatalf("in vain waited until %s", what)
	}
}

func stacks() []byte {
	b := make([]byte, 1<<20)
	return b[:runtime.Stack(b, true)]
}
