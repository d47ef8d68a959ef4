package beacon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	f := func(secret Secret, want string) {
		t.Helper()
		key, err := secret.Key()
		if want == "" {
			if err == nil {
				t.Errorf("%q is a secret", string(secret))
			} else if len(secret) > 4 && strings.Contains(err.Error(), string(secret)) {
				t.Errorf("the error tells the secret: %v", err)
			}
			return
		}
		if got := hex.EncodeToString(key[:]); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", string(secret), got, err, want)
		}
	}
	f("a-long-random-shared-cluster-secret", "7318c54ed99dd3b5df2190053ea2bf8e")
	f("beacon-test-shared-secret", "1481748a3741558090477949cbbb5911")
	f("hex:00112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeff")
	f("hex:00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeeff")
	f("HEX:00112233445566778899aabbccddeeff", "7a3c46a7c9fc6d8fed07e8b1bf8ea879") // a passphrase
	f("sixteen bytes ok", "e8c591855fe99b299b25156fa61c2002")
	f("fifteen bytes..", "")
	f("", "")
	f("hex:00112233445566778899aabbccddeef", "")
	f("hex:00112233445566778899aabbccddeeff0", "")
	f("hex:00112233445566778899aabbccddeeff00", "")
	f("hex:00112233445566778899aabbccddeegg", "")
	f("hex: a passphrase of sufficient length", "")
}

func TestSecretsAreNotShown(t *testing.T) {
	const secret = Secret("hex:00112233445566778899aabbccddeeff")
	key, _ := secret.Key()
	settings := Settings{Secret: secret}
	js, _ := json.Marshal(map[string]any{"s": secret, "k": key, "o": settings})
	for _, text := range []string{
		fmt.Sprint(secret), fmt.Sprintf("%q %x %d %#v %s", secret, secret, secret, secret, secret),
		fmt.Sprint(key), fmt.Sprintf("%q %x %d %#v %s", key, key, key, key, key),
		fmt.Sprintf("%v %+v %#v", settings, settings, settings), string(js),
	} {
		if strings.Contains(text, "11") || strings.Contains(text, "17") || !strings.Contains(text, masked) {
			t.Errorf("shown: %s", text)
		}
	}
}
