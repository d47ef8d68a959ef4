//go:build !race

package route

import "testing"

func TestNoAllocations(t *testing.T) {
	table, s := mustNew(t, crossedRules()), new(Scratch)
	f := func(host, path string) {
		t.Helper()
		h, p := []byte(host), []byte(path)
		n := testing.AllocsPerRun(100, func() {
			m, v := table.Find(1, h, p, s)
			if v == Found {
				Strip(m.Prefix, p, s)
			}
		})
		if n != 0 {
			t.Errorf("%s%s: %v allocations, want 0", host, path, n)
		}
	}
	f("a.example", "/a")
	f("X.A.EXAMPLE.:8080", "/a/b/c")
	f("[::1]", "/c")
	f("localhost", "/none")
	f("", "/a//%62/%C3%A9;x/g%2fp\\y")
	f("b.example", "/a;b/%2F/\\")
	f("b.example", "/a%2/%2%65")
	f("b.example", "/a/..")
}
