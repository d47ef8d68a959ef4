package beacon

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// A Secret is what a receiver and those who announce to it share: "hex:" and 32
// hexadecimal digits, which are the key, or a passphrase of 16 bytes or more, which is
// weaker because it can be guessed from one captured datagram. No formatting shows it.
type Secret string

// A Key signs announcements. No formatting shows it.
type Key [16]byte

const (
	hexSecret          = "hex:"
	shortestPassphrase = 16 // bytes
)

// Key returns the key that s stands for. What begins with "hex:" and is no key is an
// error, never a passphrase. The error does not tell the secret.
func (s Secret) Key() (Key, error) {
	if digits, ok := strings.CutPrefix(string(s), hexSecret); ok {
		raw, err := hex.DecodeString(digits)
		if err != nil || len(raw) != len(Key{}) {
			return Key{}, errors.New("a secret that begins with hex: goes on with 32 hexadecimal digits")
		}
		return Key(raw), nil
	}
	if len(s) < shortestPassphrase {
		return Key{}, fmt.Errorf("a secret is a passphrase of %d bytes or more, or hex: and 32 hexadecimal digits", shortestPassphrase)
	}
	// MD5 spreads the passphrase over a key, as httpd does. It protects nothing.
	return md5.Sum([]byte(s)), nil
}

// Format implements fmt.Formatter: whatever the verb, a mask is written.
func (s Secret) Format(f fmt.State, _ rune) { mask(f) }

// Format implements fmt.Formatter: whatever the verb, a mask is written.
func (k Key) Format(f fmt.State, _ rune) { mask(f) }

// MarshalText implements encoding.TextMarshaler with a mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }

// MarshalText implements encoding.TextMarshaler with a mask.
func (k Key) MarshalText() ([]byte, error) { return []byte(masked), nil }

const masked = "***"

func mask(f fmt.State) { _, _ = f.Write([]byte(masked)) }
