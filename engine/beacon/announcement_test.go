package beacon

import (
	"encoding/hex"
	"strings"
	"testing"
)

// vectors are datagrams whose signatures were computed by other implementations.
var vectors = []struct {
	secret   Secret
	says     Announcement
	datagram string
}{
	{
		"a-long-random-shared-cluster-secret",
		Announcement{"http://10.0.0.5:8080", "app1.example.com", 4242, 0, 1750000000000000},
		"BEACON url=http://10.0.0.5:8080 host=app1.example.com pid=4242 seq=0 ts=1750000000000000 mac=9dd82fcaad8e9ff6",
	}, {
		"beacon-test-shared-secret",
		Announcement{"", "(unknown)", 99999, 7, 1750000015000789},
		"BEACON host=(unknown) pid=99999 seq=7 ts=1750000015000789 mac=2d06aebfa04146a4",
	}, {
		"hex:00112233445566778899aabbccddeeff",
		Announcement{"http://10.0.0.5:8080", "app1.example.com", 4242, 0, 1750000000000000},
		"BEACON url=http://10.0.0.5:8080 host=app1.example.com pid=4242 seq=0 ts=1750000000000000 mac=8a20dc8e6929372d",
	}, {
		"hex:00112233445566778899aabbccddeeff",
		Announcement{"http://10.0.0.5:8080", "app1.example.com", 4242, 1, 1750000005000123},
		"BEACON url=http://10.0.0.5:8080 host=app1.example.com pid=4242 seq=1 ts=1750000005000123 mac=3b6caf07b59bd84f",
	}, {
		"hex:0f1e2d3c4b5a69788796a5b4c3d2e1f0",
		Announcement{"https://[2001:db8::5]:8443", "app2", 1, 18446744073709551615, 1750000010000456},
		"BEACON url=https://[2001:db8::5]:8443 host=app2 pid=1 seq=18446744073709551615 ts=1750000010000456 mac=49aab9bcf8c1aeb1",
	},
}

func TestVectors(t *testing.T) {
	for i, v := range vectors {
		key := keyOf(t, v.secret)
		if got := string(v.says.Append([]byte("before "), key)); got != "before "+v.datagram {
			t.Errorf("V%d: %q, want %q", i+1, got, v.datagram)
		}
		f, why := open([]byte(v.datagram), &key)
		if why != accepted || f.said() != v.says {
			t.Errorf("V%d: %+v, %v, want %+v", i+1, f.said(), why, v.says)
		}
	}
}

// An early httpd takes "hex:..." for a passphrase. Its datagrams are forgeries here.
func TestEarlyHTTPD(t *testing.T) {
	v := vectors[2]
	early := v.datagram[:len(v.datagram)-macDigits] + "383f2a246d065991"
	key := keyOf(t, v.secret)
	if _, why := open([]byte(early), &key); why != MACMismatch {
		t.Errorf("got %v", why)
	}
	raw, _ := hex.DecodeString("67dea70bd4123668f40181505793d77a")
	key = Key(raw)
	if _, why := open([]byte(early), &key); why != accepted {
		t.Errorf("got %v with the key of an early httpd", why)
	}
}

func keyOf(t testing.TB, s Secret) Key {
	t.Helper()
	key, err := s.Key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// said is the announcement that a frame holds.
func (f *frame) said() Announcement {
	rec := record{}.heard(f, start)
	return Announcement{strings.Clone(string(f.url)), rec.host, rec.pid, rec.seq, f.ts}
}
