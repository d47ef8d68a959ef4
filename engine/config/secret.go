package config

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// A Secret is text that no formatting shows. Use Reveal to get it.
type Secret string

const mask = "***"

// Reveal returns the text of the secret.
func (s Secret) Reveal() string { return string(s) }

// Format implements fmt.Formatter: whatever the verb, a mask is written.
func (s Secret) Format(f fmt.State, _ rune) {
	if s != "" {
		_, _ = f.Write([]byte(mask))
	}
}

// MarshalText implements encoding.TextMarshaler with the mask.
func (s Secret) MarshalText() ([]byte, error) {
	if s == "" {
		return nil, nil
	}
	return []byte(mask), nil
}

// secret takes the secret of a beacon.
func secret(to *Secret) scalar[Secret] {
	s := textThat(to, "a secret", checkSecret)
	s.takes = func() []object {
		phrase := object{{"type", []string{"string", "number"}}, {"not", object{{"pattern", "^(" + HexSecret + ".*|[ -~]{0,15})$"}}}}
		return []object{matching("^" + HexSecret + "[0-9A-Fa-f]{32}$"), phrase}
	}
	return s
}

// HexSecret begins a secret that is a key of 16 bytes in hexadecimal.
const HexSecret = "hex:"

// checkSecret never quotes s. What looks like a key but is none is no passphrase either.
func checkSecret(s string) error {
	const (
		keyBytes = 16
		shortest = 16 // bytes of a passphrase
	)
	if digits, ok := strings.CutPrefix(s, HexSecret); ok {
		if key, err := hex.DecodeString(digits); err != nil || len(key) != keyBytes {
			return fmt.Errorf("a secret that begins with hex: goes on with %d hexadecimal digits; openssl rand -hex %d makes them", 2*keyBytes, keyBytes)
		}
		return nil
	}
	if len(s) < shortest {
		return fmt.Errorf("the secret is shorter than %d bytes; write a longer one, or hex: and %d hexadecimal digits", shortest, 2*keyBytes)
	}
	return nil
}
