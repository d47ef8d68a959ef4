package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestBeaconRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"good": "a passphrase of sufficient length\n", "short": "0123456789abcde", "odd": "hex:0011\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := func(code int, want, args string) {
		t.Helper()
		var out, errs strings.Builder
		got := runBeacon(strings.Fields(strings.ReplaceAll(args, "DIR", dir)), &out, &errs)
		if got != code || !strings.Contains(errs.String(), want) || out.String() != "" {
			t.Errorf("beacon %s: code %d, %q, %q, want %d, %q", args, got, out.String(), errs.String(), code, want)
		}
		if strings.Contains(errs.String(), "0123456789abcde") || strings.Contains(errs.String(), "passphrase of sufficient") {
			t.Errorf("beacon %s shows the secret: %q", args, errs.String())
		}
	}
	f(2, "no origin", "-to 127.0.0.1:9 -advertise http://10.0.0.5:8080/app -secret-file DIR/good")
	f(2, "-to and -secret-file are required", "-advertise http://10.0.0.5:8080 -secret-file DIR/good")
	f(2, "-to and -secret-file are required", "-to 127.0.0.1:9 -advertise http://10.0.0.5:8080")
	f(2, "is not host:port", "-to 127.0.0.1 -advertise http://10.0.0.5:8080 -secret-file DIR/good")
	f(2, "is not host:port", "-to 127.0.0.1:9 -to b -secret-file DIR/good")
	f(2, "shorter than 100ms", "-to 127.0.0.1:9 -secret-file DIR/good -interval 99ms")
	f(2, "-interval is not 0", "-to 127.0.0.1:9 -secret-file DIR/good -interval 0s")
	f(2, "-interval", "-to 127.0.0.1:9 -secret-file DIR/good -interval 5")
	f(2, `takes no argument "x"`, "-to 127.0.0.1:9 -secret-file DIR/good x")
	f(1, "shorter than 16 bytes", "-to 127.0.0.1:9 -secret-file DIR/short")
	f(1, "hexadecimal digits", "-to 127.0.0.1:9 -secret-file DIR/odd")
	f(1, "no such file", "-to 127.0.0.1:9 -secret-file DIR/none")
	f(0, "-advertise", "-h")
}

func TestE2EBeacon(t *testing.T) {
	var to []string
	var sinks []net.PacketConn
	for range 2 {
		sink, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer sink.Close()
		sinks, to = append(sinks, sink), append(to, "-to", sink.LocalAddr().String())
	}
	p := newPlace(t)
	const secret = "hex:00112233445566778899aabbccddeeff"
	p.file("secret", secret+"\n")
	d := p.start(append([]string{"beacon", "-advertise", "HTTP://10.0.0.5:8080/", "-secret-file", "secret", "-interval", "100ms"}, to...)...)
	for _, sink := range sinks {
		b := make([]byte, 2048)
		for range 3 {
			sink.SetReadDeadline(time.Now().Add(e2eLimit))
			n, _, err := sink.ReadFrom(b)
			if err != nil {
				t.Fatalf("%v: %s", err, d.stderr.String())
			}
			if got := string(b[:n]); !strings.HasPrefix(got, "BEACON url=http://10.0.0.5:8080 host=") || !strings.Contains(got, " mac=") {
				t.Errorf("announced %q", got)
			}
		}
	}
	d.signal(syscall.SIGTERM)
	d.ends(0)
	if out := d.stdout.String() + d.stderr.String(); strings.Contains(out, secret[4:]) || !strings.Contains(out, "beaconing to") {
		t.Errorf("output %s", out)
	}
}
