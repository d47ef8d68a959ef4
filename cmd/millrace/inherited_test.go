package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestParseInherited(t *testing.T) {
	f := func(want string, environment ...string) {
		t.Helper()
		sockets, err := parseInherited(lookupIn(environment...), 100)
		var got []string
		for _, s := range sockets {
			got = append(got, strconv.Itoa(s.fd)+"="+s.name)
		}
		if err != nil {
			got = append(got, "error")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, %v, want %q", environment, got, err, want)
		}
	}
	f("")
	f("", "LISTEN_FDS=1")
	f("", "LISTEN_PID=100")
	f("", "LISTEN_PID=99", "LISTEN_FDS=many")
	f("", "LISTEN_PID=100", "LISTEN_FDS=0")
	f("3=unknown", "LISTEN_PID=100", "LISTEN_FDS=1")
	f("3=unknown 4=unknown", "LISTEN_PID=100", "LISTEN_FDS=2")
	f("3=web 4=", "LISTEN_PID=100", "LISTEN_FDS=2", "LISTEN_FDNAMES=web:")
	f("error", "LISTEN_PID=100", "LISTEN_FDS=2", "LISTEN_FDNAMES=web")
	f("error", "LISTEN_PID=100", "LISTEN_FDS=-1")
	f("error", "LISTEN_PID=100", "LISTEN_FDS=1025")
	f("error", "LISTEN_PID=100", "LISTEN_FDS=1x")
}

func FuzzParseInherited(f *testing.F) {
	f.Add("100", "2", "a:b")
	f.Add("100", "1024", "")
	f.Fuzz(func(t *testing.T, pid, count, names string) {
		sockets, err := parseInherited(lookupIn("LISTEN_PID="+pid, "LISTEN_FDS="+count, "LISTEN_FDNAMES="+names), 100)
		if err != nil && sockets != nil || len(sockets) > mostInherited {
			t.Errorf("%d sockets, %v", len(sockets), err)
		}
		for i, s := range sockets {
			if s.fd != firstInherited+i || strings.Contains(s.name, ":") {
				t.Errorf("socket %d is %+v", i, s)
			}
		}
	})
}

func TestInheritedSocketsLeaveNoTrace(t *testing.T) {
	f := func(pid string, wantErr bool) {
		t.Helper()
		t.Setenv("LISTEN_PID", pid)
		t.Setenv("LISTEN_FDS", "1000") // more than are open
		t.Setenv("LISTEN_FDNAMES", "")
		sockets, err := inheritedSockets()
		if (err != nil) != wantErr || len(sockets) > 0 {
			t.Errorf("LISTEN_PID=%s: got %v, %v", pid, sockets, err)
		}
		if again, err := inheritedSockets(); err != nil || again != nil {
			t.Errorf("LISTEN_PID=%s: the second time %v, %v", pid, again, err)
		}
	}
	f("1", false)
	f(strconv.Itoa(os.Getpid()), true)
}
