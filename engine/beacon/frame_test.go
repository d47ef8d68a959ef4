package beacon

import (
	"bytes"
	"strings"
	"testing"
)

const secret = Secret("hex:00112233445566778899aabbccddeeff")

// signed returns the datagram of a message, whatever the message is.
func signed(t testing.TB, message string) []byte {
	t.Helper()
	key := keyOf(t, secret)
	sum := mac(&key, []byte(message))
	return append([]byte(message+macMark), sum[:]...)
}

func TestOpenChecksTheDatagram(t *testing.T) {
	const message = "BEACON url=http://a host=h pid=1 seq=2 ts=3"
	good := signed(t, message)
	sum := string(good[len(good)-macDigits:])
	sized := func(n int) []byte {
		return signed(t, message+" x="+strings.Repeat("x", n-len(good)-len(" x=")))
	}
	key := keyOf(t, secret)
	f := func(what string, datagram []byte, want Reason) {
		t.Helper()
		before := bytes.Clone(datagram)
		if _, got := open(datagram, &key); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		if !bytes.Equal(before, datagram) {
			t.Errorf("%s: changed", what)
		}
	}
	f("good", good, accepted)
	f("2048 bytes", sized(2048), accepted)
	f("2049 bytes", sized(2049), Oversize)
	f("NUL, and too long", append(sized(2048), 0), Oversize)
	f("NUL inside, signed", signed(t, strings.Replace(message, "host=h", "host=\x00", 1)), EmbeddedNUL)
	f("NUL behind", append(bytes.Clone(good), 0), EmbeddedNUL)
	f("NUL in front, unsigned", []byte("\x00BEACON"), EmbeddedNUL)
	f("no mac", []byte(message), NoMAC)
	f("one byte", []byte("B"), NoMAC)
	f("mac without a blank", []byte("mac="+sum), NoMAC)
	f("15 digits", good[:len(good)-1], BadMACLength)
	f("17 digits", append(bytes.Clone(good), '0'), BadMACLength)
	f("a line feed behind", append(bytes.Clone(good), '\n'), BadMACLength)
	f("no digits", []byte(message+macMark), BadMACLength)
	f("upper case", []byte(message+macMark+strings.ToUpper(sum)), MACMismatch)
	f("big-endian", []byte(message+macMark+reversed(sum)), MACMismatch)
	f("no hex", []byte(message+macMark+strings.Repeat("z", 16)), MACMismatch)
	f("a changed byte", bytes.Replace(good, []byte("pid=1"), []byte("pid=2"), 1), MACMismatch)
	f("a byte more", append([]byte(" "), good...), MACMismatch)
	f("the signature of nothing", []byte(message+macMark+string(signed(t, "")[len(macMark):])), MACMismatch)
	for bit := range len(good) * 8 { // every single bit counts
		b := bytes.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		if _, why := open(b, &key); why == accepted {
			t.Errorf("bit %d does not matter", bit)
		}
	}
}

func reversed(digits string) (out string) {
	for i := len(digits); i > 0; i -= 2 {
		out += digits[i-2 : i]
	}
	return out
}

func TestOpenChecksTheMessage(t *testing.T) {
	key := keyOf(t, secret)
	f := func(message string, want Reason) {
		t.Helper()
		if _, got := open(signed(t, message), &key); got != want {
			t.Errorf("%q: %v, want %v", message, got, want)
		}
	}
	f("BEACON ts=1", accepted)
	f("BEACON ts=1 url=http://a", accepted)
	f("BEACON zone=eu ts=1 empty= a=b=c", accepted)
	f("BEACON pid=x seq=-1 ts=1", accepted)
	f("BEACON ts=0", accepted)
	f("BEACON ts=0000000000000000000000000001", accepted)
	f("BEACON ts=9223372036854775807", accepted)

	f("", BadFrame)
	f("beacon ts=1", BadFrame)
	f("BEACONS ts=1", BadFrame)
	f("BEACONts=1", BadFrame)
	f("ts=1", BadFrame)
	f(" BEACON ts=1", BadFrame)
	f("BEACON  ts=1", BadFrame)
	f("BEACON ts=1 ", BadFrame)
	f("BEACON\tts=1", BadFrame)
	f("BEACON ts=1 junk", BadFrame)
	f("BEACON ts=1 =junk", BadFrame)
	f("BEACON =", BadFrame)
	f("BEACON junk ts=1 ts=1", BadFrame)

	f("BEACON ts=1 ts=1", DuplicateField)
	f("BEACON url=a url=b ts=1", DuplicateField)
	f("BEACON x= ts=1 x=", DuplicateField)
	f("BEACON mac=0123456789abcdef ts=1", DuplicateField)
	f("BEACON ts=1 mac=0123456789abcdef", DuplicateField)
	f("BEACON xx=1 x=1 xxx=1 ts=1", accepted)
	f("BEACON url=x=x x=1 ts=1", accepted)

	f("BEACON", NoTS)
	f("BEACON url=http://a", NoTS)
	f("BEACON TS=1", NoTS)
	f("BEACON a=\tts=1", NoTS)
	for _, ts := range []string{"", "+1", "-1", "1.0", "0x1", "1us", "1e15", "١", "1\t", "9223372036854775808", "18446744073709551616", "99999999999999999999"} {
		f("BEACON ts="+ts, BadTS)
	}
}

func TestReasons(t *testing.T) {
	labels := map[string]bool{}
	for _, r := range Reasons() {
		want := labelOf(r.String())
		if r.Label() != want || labels[want] {
			t.Errorf("%v has the label %q, want %q, once", r, r.Label(), want)
		}
		labels[want] = true
	}
	if len(labels) != reasons-1 || labels["accepted"] {
		t.Errorf("reasons %v", labels)
	}
}

// labelOf makes a text lower case, with runs of anything but letters and digits as one _.
func labelOf(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	return strings.Join(words, "_")
}

func TestQuoted(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := quoted([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	f("BEACON url=http://a", "BEACON url=http://a")
	f("a\"\\", `a\"\\`)
	f("\b\t\n\v\f\r\a\x1b\x7f\xff\x00 ~", `\b\t\n\v\x0c\r\x07\x1b\x7f\xff\x00 ~`)
	for c := range 256 {
		for _, q := range []byte(quoted([]byte{byte(c)})) {
			if q < ' ' || q > '~' {
				t.Errorf("byte %#x is not escaped: %#x", c, q)
			}
		}
	}
}
