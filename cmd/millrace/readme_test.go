package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lengthy commands are only looked up in the Makefile: the first of them would
// run this very test.
var lengthy = []string{"make test", "make check", "make soak", "make bench-compare"}

// readmePorts are those of the README's examples.
var readmePorts = []string{"127.0.0.1:8080", "127.0.0.1:9090"}

// TestReadmeCommands runs what the README tells its reader to type, block by
// block. A command that does not end by itself is ended with its block.
func TestReadmeCommands(t *testing.T) {
	for _, tool := range []string{"sh", "make", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
	for _, port := range readmePorts {
		l, err := net.Listen("tcp", port)
		if err != nil {
			t.Skipf("skipped: %v", err)
		}
		l.Close()
	}
	blocks := fenced(readText(t, "README.md"), "sh")
	if len(blocks) == 0 {
		t.Fatal("no command in README.md")
	}
	for _, block := range blocks {
		runBlock(t, block)
	}
}

func runBlock(t *testing.T, block string) {
	for line := range strings.Lines(block) {
		command, _, _ := strings.Cut(line, "  #")
		command, _, _ = strings.Cut(command, " # ")
		switch command = strings.TrimSpace(command); {
		case command == "":
		case slices.Contains(lengthy, command):
			runCommand(t, strings.Replace(command, "make", "make -n", 1))
		case command == "make run" || strings.HasPrefix(command, "bin/millrace run "):
			defer background(t, command)()
		default:
			runCommand(t, command)
		}
	}
}

func runCommand(t *testing.T, command string) {
	t.Helper()
	out, err := shell(command).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// shell prepares a command that runs in the repository as from a terminal.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// background starts a command and waits until it says that it listens. The
// function that it returns ends it as Ctrl-C would.
func background(t *testing.T, command string) (end func()) {
	t.Helper()
	var out transcript
	cmd := shell("exec " + command)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	kill := func(signal syscall.Signal) { syscall.Kill(-cmd.Process.Pid, signal) }
	for begin := time.Now(); !strings.Contains(out.String(), "listening"); time.Sleep(20 * time.Millisecond) {
		if len(exited) > 0 || time.Since(begin) > 2*time.Minute {
			kill(syscall.SIGKILL)
			t.Fatalf("%s does not come up:\n%s", command, out.String())
		}
	}
	return func() {
		kill(syscall.SIGINT)
		select {
		case err := <-exited:
			// make itself always complains about an interrupt.
			if err != nil && !strings.HasPrefix(command, "make") {
				t.Errorf("%s: %v\n%s", command, err, out.String())
			}
		case <-time.After(30 * time.Second):
			kill(syscall.SIGKILL)
			t.Errorf("%s does not end:\n%s", command, out.String())
		}
	}
}

// A transcript is a buffer that can be read while it is written.
type transcript struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *transcript) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestReadmeConfigurations(t *testing.T) {
	blocks := fenced(readText(t, "README.md"), "yaml")
	if len(blocks) == 0 {
		t.Fatal("no configuration in README.md")
	}
	for _, block := range blocks {
		file := filepath.Join(t.TempDir(), "millrace.yaml")
		if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		if code := runCheck([]string{"-config", file}, &out, &errs); code != 0 {
			t.Errorf("code %d: %s for\n%s", code, errs.String(), block)
		}
	}
}

// Every relative link of a page leads somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, page := range repositoryFiles(t) {
		if !strings.HasSuffix(page, ".md") {
			continue
		}
		for _, match := range link.FindAllStringSubmatch(readText(t, page), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), match[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			}
		}
	}
}

// fenced returns the code blocks of a page that are marked with language.
func fenced(page, language string) (blocks []string) {
	block := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, match := range block.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, match[1])
	}
	return blocks
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFenced(t *testing.T) {
	page := "a\n```sh\nx\ny\n```\n```yaml\nz\n```\n```sh\n```\n"
	if got := fenced(page, "sh"); !slices.Equal(got, []string{"x\ny\n", ""}) {
		t.Errorf("got %q", got)
	}
}
