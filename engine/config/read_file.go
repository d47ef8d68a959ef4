package config

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// ReadSecret returns the secret of a beacon, from its file unless it is written out.
func ReadSecret(s SecretSource) (Secret, error) {
	if s.File == "" {
		return s.Text, checkSecret(string(s.Text))
	}
	line, err := readLine(s.File)
	if err != nil {
		return "", err
	}
	if err := checkSecret(line); err != nil {
		return "", fmt.Errorf("%s: %w", s.File, err)
	}
	return Secret(line), nil
}

// ReadToken returns the bearer token in the file: its text without the final newline, which
// must be such that a header field can carry it (RFC 9110, 5.5).
func ReadToken(name string) (Secret, error) {
	line, err := readLine(name)
	if err != nil {
		return "", err
	}
	unsendable := func(c rune) bool { return c < ' ' || c == 0x7f }
	if strings.ContainsFunc(line, unsendable) || strings.Trim(line, " ") != line {
		return "", fmt.Errorf("%s holds a token that no header field can carry: it is one line, without blanks at its ends", name)
	}
	return Secret(line), nil
}

// ReadCookieSecret returns the bytes of the file, which are 32 or more.
func ReadCookieSecret(name string) ([]byte, error) {
	const shortest = 32
	text, err := readSmall(name)
	if err != nil {
		return nil, err
	}
	if len(text) < shortest {
		return nil, fmt.Errorf("%s has %d bytes; a cookie secret has %d or more", name, len(text), shortest)
	}
	return text, nil
}

// readLine returns the text of a file without its final newline. It is never empty.
func readLine(name string) (string, error) {
	text, err := readSmall(name)
	if err != nil {
		return "", err
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(text) == 0 {
		return "", fmt.Errorf("%s is empty", name)
	}
	return string(text), nil
}

// readSmall reads a file of a size that a certificate or a configuration has. A named pipe
// to which nobody writes is empty, not waited for.
func readSmall(name string) ([]byte, error) {
	const most = 16 << 20 // bytes
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s is larger than %s", name, showSize(most))
	}
	return text, nil
}
