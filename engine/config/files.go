package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CheckFiles reads every file that the configuration names and returns what is wrong with
// it: certificates and keys that do not match, roots that are none, secrets that are too
// short. It changes nothing and opens no log.
func CheckFiles(c *Config) []Fault {
	k := &fileCheck{src: c.src}
	for i := range c.Listeners {
		k.listener(&c.Listeners[i])
	}
	for i := range c.Clusters {
		k.cluster(&c.Clusters[i])
	}
	for _, r := range c.Beacon.Receive {
		k.secret(r.path, r.Secret)
	}
	for _, a := range c.Beacon.Announce {
		k.secret(a.path, a.Secret)
	}
	if c.Admin != nil && c.Admin.TokenFile != "" {
		_, err := ReadToken(c.Admin.TokenFile)
		k.report(join(c.Admin.path, "token_file"), err)
	}
	if c.AccessLog != nil {
		k.report(join(c.AccessLog.path, "path"), checkLogFile(c.AccessLog.Path))
	}
	sortFaults(k.faults)
	return k.faults
}

type fileCheck struct {
	src    *source
	faults []Fault
}

func (k *fileCheck) report(path string, err error) {
	if err != nil {
		k.faults = append(k.faults, k.src.fault(path, err.Error()))
	}
}

func (k *fileCheck) listener(l *Listener) {
	if l.TLS == nil {
		return
	}
	for _, c := range l.TLS.Certificates {
		k.report(c.path, checkPair(c.Cert, c.Key))
	}
	k.roots(join(join(l.path, "tls"), "client_ca"), l.TLS.ClientCA)
}

func (k *fileCheck) cluster(c *Cluster) {
	for i := range c.Upstreams {
		k.upstream(c.Upstreams[i].path, &c.Upstreams[i].UpstreamSettings)
	}
	k.upstream(join(c.path, "beacon_defaults"), &c.BeaconDefaults)
	if c.Affinity != nil && c.Affinity.Cookie != nil && c.Affinity.Cookie.SecretFile != "" {
		_, err := ReadCookieSecret(c.Affinity.Cookie.SecretFile)
		k.report(join(c.Affinity.Cookie.path, "secret_file"), err)
	}
}

func (k *fileCheck) upstream(path string, s *UpstreamSettings) {
	if s.Cert != "" && s.Key != "" {
		k.report(join(path, "cert"), checkPair(s.Cert, s.Key))
	}
	k.roots(join(path, "ca"), s.CA)
}

func (k *fileCheck) roots(path, name string) {
	if name != "" {
		k.report(path, checkRoots(name))
	}
}

func (k *fileCheck) secret(path string, s SecretSource) {
	if s.File != "" {
		_, err := ReadSecret(s)
		k.report(join(path, "secret_file"), err)
	}
}

// checkPair returns an error unless the files hold a certificate and its key.
func checkPair(cert, key string) error {
	chain, err := readSmall(cert)
	if err != nil {
		return err
	}
	private, err := readSmall(key)
	if err != nil {
		return err
	}
	if _, err := tls.X509KeyPair(chain, private); err != nil {
		return fmt.Errorf("%s and %s: %w", cert, key, err)
	}
	return nil
}

func checkRoots(name string) error {
	text, err := readSmall(name)
	if err != nil {
		return err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return fmt.Errorf("%s holds no certificate in PEM form", name)
	}
	return nil
}

// checkLogFile returns an error if no file of that name can be written. It does not open it.
func checkLogFile(name string) error {
	if name == Stdout || name == Stderr {
		return nil
	}
	if at, err := os.Stat(name); err == nil && at.IsDir() {
		return fmt.Errorf("%s is a folder", name)
	}
	folder, err := os.Stat(filepath.Dir(name))
	if err == nil && !folder.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return fmt.Errorf("no folder to write %s in: %w", name, err)
	}
	return nil
}
