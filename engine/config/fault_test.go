package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFaultText(t *testing.T) {
	f := func(fault Fault, want string) {
		t.Helper()
		if got := fault.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(Fault{File: "f", Line: 3, Column: 7, Path: "a.b", Message: "wrong"}, "f:3:7: a.b: wrong")
	f(Fault{File: "f", Line: 3, Path: "a.b", Message: "wrong"}, "f:3: a.b: wrong")
	f(Fault{File: "f", Line: 3, Column: 7, Message: "wrong"}, "f:3:7: wrong")
	f(Fault{File: "f", Message: "wrong"}, "f: wrong")
}

func TestEveryFaultIsReported(t *testing.T) {
	refused(t)(`listeners: ["127.0.0.1:8080"]
timeouts:
  idle: soon
routes:
  - cluster: nowhere
  - {prefix: x, local: {status: 200}}
clusters:
  web:
    algorithm: best
    upstreams:
      - http://127.0.0.1:1
      - {url: "http://127.0.0.1:2", weight: -1}
colour: blue
`,
		`3:3: timeouts.idle: "soon"`,
		`5:5: routes[0].cluster: no cluster is called "nowhere"`,
		`6:6: routes[1].prefix: "x"`,
		`9:5: clusters.web.algorithm: unknown value "best"`,
		`12:37: clusters.web.upstreams[1].weight: "-1"`,
		`13:1: colour: unknown key`)
}

func TestErrorsUnwrap(t *testing.T) {
	_, err := Parse("f.yaml", []byte("workers: x\n"))
	var first Fault
	if !errors.As(err, &first) || first.File != "f.yaml" {
		t.Errorf("no Fault in %v", err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("%d lines, want one for each fault: %v", len(lines), err)
	}
}

func TestPositionCountsCharacters(t *testing.T) {
	refused(t)(ok+"log: {format: json, \"é\": 1, level: é}\n",
		`3:21: log["..."]: unknown key`,
		`3:29: log.level: unknown value "é"`)
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CONFIG_TEST_PORT", "8081")
	write("listeners: [\":${CONFIG_TEST_PORT}\"]\nroutes: [{local: {}}]\n" + "access_log: {path: a.log}\n")
	c, err := Load(name)
	if err != nil || c.Listeners[0].Address.Port != 8081 || c.AccessLog.Path != filepath.Join(dir, "a.log") {
		t.Fatalf("%+v, %v", c, err)
	}
	write("workers: x\n")
	if _, err := Load(name); err == nil || !strings.HasPrefix(err.Error(), name+":1:1: ") {
		t.Errorf("%v does not begin with file and position", err)
	}
	for _, bad := range []string{filepath.Join(dir, "none.yaml"), dir} {
		if _, err := Load(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	const word = "correct-horse"
	c := mustParse(t, receive("{listen: \":1\", secret: "+word+"-battery}"))
	s := c.Beacon.Receive[0].Secret
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, s); strings.Contains(got, word) || strings.Contains(got, "636f7272") {
			t.Errorf("%s shows the secret: %s", verb, got)
		}
	}
	text, err := json.Marshal(s)
	if err != nil || strings.Contains(string(text), word) || !strings.Contains(string(text), "***") {
		t.Errorf("JSON: %s, %v", text, err)
	}
	if got := fmt.Sprintf("%v|%s", Secret(""), s.Text); got != "|***" {
		t.Errorf("got %s", got)
	}
}

func TestFaultsDoNotShowSecrets(t *testing.T) {
	const word = "correct-horse"
	f := func(file string) {
		t.Helper()
		_, err := parse("f.yaml", []byte(file), environment)
		if err == nil || strings.Contains(err.Error(), word) {
			t.Errorf("%v\nfor %s", err, file)
		}
	}
	f(receive("{listen: \":1\", secret: " + word + "}"))
	f(receive("{listen: \":1\", secret: hex:" + word + "}"))
	f(receive("{listen: \":1\", secret: *" + word + "}"))
	f(receive("{listen: \":1\", secret: &" + word + "}"))
	f(receive("{listen: \":1\", secret: !" + word + " x}"))
	f(receive("{listen: \":1\", secret:" + word + "}"))
	f(receive("{listen: \":1\", secret: {" + word + ": }}"))
	f(receive("{listen: \":1\", secret: [" + word + "]}"))
	f(receive("{listen: \":1\", secret: \"" + word + "$x\"}"))
	f(receive("{listen: \":1\", secret: \"${" + word + "}\"}"))
	f(web("request_header: [\"Authorization: " + word + "\\n\"]\n    x: 1"))
	f(web("request_header: [\"Authorization " + word + "\"]"))
	f(web("request_header: [\"Authorization: " + word + "{{\"]"))
	f(upstream("http://user:" + word + "@h"))
	f(upstream("http://" + word + "@h/path"))
}
