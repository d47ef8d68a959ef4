package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pemPair makes a self-signed certificate and its key.
func pemPair(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// folder writes files and returns where.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckFiles(t *testing.T) {
	cert, key := pemPair(t)
	_, other := pemPair(t)
	dir := folder(t, map[string]string{
		"a.pem": cert, "a.key": key, "b.key": other, "text": "no certificate\n", "blank": "word \n", "lines": "one\ntwo\n", "empty": "", "line": "\n",
		"short": "15 bytes of text\n"[:15] + "\n", "pass": "0123456789abcdef\n", "crlf": "0123456789abcdef\r\n",
		"hex": "hex:00112233445566778899aabbccddeeff\n", "badhex": "hex:0011\n", "cookie": strings.Repeat("k", 32), "small": strings.Repeat("k", 31),
	})
	f := func(file string, want ...string) {
		t.Helper()
		c, err := parse(filepath.Join(dir, "f.yaml"), []byte(file), environment)
		if err != nil {
			t.Fatalf("%v\nin %s", err, file)
		}
		got := CheckFiles(c)
		if len(got) != len(want) {
			t.Fatalf("%d faults, want %d: %v\nin %s", len(got), len(want), got, file)
		}
		for i, fault := range got {
			cut := strings.LastIndex(want[i], ": ")
			place, says := want[i][:cut], want[i][cut+2:]
			if !strings.HasPrefix(fault.Error(), filepath.Join(dir, "f.yaml:")) || !strings.Contains(fault.Error(), place+": ") || !strings.Contains(fault.Message, says) {
				t.Errorf("got %v, want %s", fault, want[i])
			}
		}
	}
	tls := func(pair, more string) string {
		return listen("{address: \":443\", tls: {certificates: [{" + pair + "}]" + more + "}}")
	}
	const pair, first = "cert: a.pem, key: a.key", "listeners[0].tls.certificates[0]"
	f(ok)
	f(tls(pair, ""))
	f(tls(pair, ", client_ca: a.pem"))
	f(tls("cert: none.pem, key: a.key", ""), "1:52: "+first+": none.pem")
	f(tls("cert: a.pem, key: none.key", ""), first+": none.key")
	f(tls("cert: a.pem, key: b.key", ""), first+": private key does not match")
	f(tls("cert: text, key: a.key", ""), first+": text and")
	f(tls(pair, ", client_ca: text"), "listeners[0].tls.client_ca: no certificate")
	f(tls(pair, ", client_ca: none"), "listeners[0].tls.client_ca: none")

	const at = "clusters.web.upstreams[0]"
	f(upstream("{url: https://h, " + pair + ", ca: a.pem}"))
	f(upstream("{url: https://h, cert: a.pem, key: b.key, ca: text}"), at+".cert: private key", at+".ca: no certificate")
	f(web("beacon_defaults: {ca: none}"), "clusters.web.beacon_defaults.ca: none")
	f(web("affinity: {cookie: {secret_file: cookie}}"))
	f(web("affinity: {cookie: {secret_file: small}}"), "clusters.web.affinity.cookie.secret_file: 31 bytes; a cookie secret has 32")
	f(web("affinity: {cookie: {secret_file: none}}"), "clusters.web.affinity.cookie.secret_file: none")

	secretFile := func(name string) string { return receive("{listen: \":1\", secret_file: " + name + "}") }
	for _, good := range []string{"pass", "crlf", "hex"} {
		f(secretFile(good))
	}
	const secret = "beacon.receive[0].secret_file: "
	f(secretFile("empty"), secret+"empty")
	f(secretFile("line"), secret+"empty")
	f(secretFile("short"), secret+"16 bytes")
	f(secretFile("badhex"), secret+"32 hexadecimal digits")
	f(secretFile("none"), secret+"none")
	f(announce("{address: h:1, secret_file: short}"), "beacon.announce[0].secret_file: 16 bytes")

	f(ok + "admin: {token_file: pass}\n")
	f(ok+"admin: {token_file: empty}\n", "admin.token_file: empty")
	f(ok+"admin: {token_file: none}\n", "admin.token_file: none")
	f(ok+"admin: {token_file: blank}\n", "admin.token_file: blank holds")
	f(ok+"admin: {token_file: lines}\n", "admin.token_file: lines holds")
	f(ok + "access_log: {path: stdout}\n")
	f(ok + "access_log: {path: new.log}\n")
	f(ok + "access_log: {path: pass}\n")
	f(ok+"access_log: {path: .}\n", "access_log.path: is a folder")
	f(ok+"access_log: {path: none/a.log}\n", "access_log.path: no folder")
	f(ok+"access_log: {path: pass/a.log}\n", "access_log.path: no folder")
}

func TestReadSecrets(t *testing.T) {
	dir := folder(t, map[string]string{"pass": "a passphrase of some length\r\n\n", "token": "word\n", "cookie": strings.Repeat("\n", 40)})
	secret, err := ReadSecret(SecretSource{File: filepath.Join(dir, "pass")})
	if err != nil || secret.Reveal() != "a passphrase of some length\r\n" {
		t.Errorf("%q, %v: more than one line end is removed", secret.Reveal(), err)
	}
	if secret, err := ReadSecret(SecretSource{Text: "0123456789abcdef"}); err != nil || secret.Reveal() != "0123456789abcdef" {
		t.Errorf("%q, %v", secret.Reveal(), err)
	}
	if _, err := ReadSecret(SecretSource{Text: "short"}); err == nil {
		t.Error("a short secret is accepted")
	}
	if token, err := ReadToken(filepath.Join(dir, "token")); err != nil || token.Reveal() != "word" {
		t.Errorf("%q, %v", token.Reveal(), err)
	}
	if key, err := ReadCookieSecret(filepath.Join(dir, "cookie")); err != nil || len(key) != 40 {
		t.Errorf("%d bytes, %v", len(key), err)
	}
	if _, err := readSmall("/dev/zero"); err == nil || !strings.Contains(err.Error(), "16MiB") {
		t.Errorf("an endless file: %v", err)
	}
}
