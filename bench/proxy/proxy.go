package proxy

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"millrace/bench/process"
)

//go:embed nginx.conf haproxy.cfg millrace.yaml
var templates embed.FS

// Options is what a proxy is started with.
type Options struct {
	Upstream    string // ip:port
	Keepalive   bool   // keep connections to the upstream
	Connections int    // of clients, at most
	Millrace    string // path of the binary
}

// A Proxy is running and listens on Address. Stop must be called.
type Proxy struct {
	*process.Process
	Name    string
	Address string
	Admin   string // millrace's admin listener; the others have none
	dir     string
}

// A kind is one program in one configuration.
type kind struct {
	template string
	program  string
	args     func(dir, file string) []string
	version  string // the flag that prints it
}

// kinds are the proxies by name.
var kinds = map[string]kind{
	"nginx":          {"nginx.conf", "nginx", nginxArgs, "-v"},
	"haproxy":        {"haproxy.cfg", "haproxy", haproxyArgs, "-v"},
	"haproxy-splice": {"haproxy.cfg", "haproxy", haproxyArgs, "-v"},
	"millrace":       {"millrace.yaml", "millrace", millraceArgs, "version"},
}

func nginxArgs(dir, file string) []string  { return []string{"-p", dir, "-e", "stderr", "-c", file} }
func haproxyArgs(_, file string) []string  { return []string{"-db", "-f", file} }
func millraceArgs(_, file string) []string { return []string{"run", "-config", file} }

// program returns what to execute for name: millrace by its path.
func (o Options) program(name string) (string, error) {
	k, ok := kinds[name]
	if !ok {
		return "", fmt.Errorf("no proxy is called %q", name)
	}
	if name == "millrace" {
		return exec.LookPath(o.Millrace)
	}
	return exec.LookPath(k.program)
}

// Version returns the first line that the proxy prints about itself. The error
// says that it is not installed.
func Version(name string, o Options) (string, error) {
	program, err := o.program(name)
	if err != nil {
		return "", err
	}
	out, err := exec.Command(program, kinds[name].version).CombinedOutput()
	line, _, _ := strings.Cut(string(out), "\n")
	return line, err
}

// Start runs the proxy called name in a temporary folder of its own.
func Start(name string, o Options) (p *Proxy, err error) {
	program, err := o.program(name)
	if err != nil {
		return nil, err
	}
	p = &Proxy{Name: name}
	if p.dir, err = os.MkdirTemp("", "bench-"+name+"-"); err != nil {
		return nil, err
	}
	if err = p.start(program, o); err != nil {
		p.Stop()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

func (p *Proxy) start(program string, o Options) (err error) {
	if p.Address, err = process.FreePort(); err != nil {
		return err
	}
	if p.Admin, err = process.FreePort(); err != nil {
		return err
	}
	k := kinds[p.Name]
	file := filepath.Join(p.dir, k.template)
	text, err := p.render(k.template, o)
	if err != nil {
		return err
	}
	if err = os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	if p.Process, err = process.Start(p.dir, program, k.args(p.dir, file)...); err != nil {
		return err
	}
	return p.Listening(p.Address, 5*time.Second)
}

// render fills in the configuration.
func (p *Proxy) render(name string, o Options) ([]byte, error) {
	t, err := template.ParseFS(templates, name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = t.Execute(&text, map[string]any{
		"Root": os.Getuid() == 0, "Dir": p.dir, "Address": p.Address, "Admin": p.Admin,
		"Upstream": o.Upstream, "Keepalive": o.Keepalive, "Connections": o.Connections,
		"Splice": p.Name == "haproxy-splice",
	})
	return text.Bytes(), err
}

// Stop ends the proxy and removes its folder.
func (p *Proxy) Stop() {
	if p.Process != nil {
		p.Process.Stop()
	}
	os.RemoveAll(p.dir)
}
