package upstream

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"millrace/bench/process"
)

//go:embed nginx.conf
var nginxConf string

// Nginx runs nginx, which costs little and so leaves the machine to the proxy.
// It answers an upload before it has read it: use BuiltIn for those. Its files
// are in dir.
func Nginx(dir string) (*Upstream, error) {
	address, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	var conf bytes.Buffer
	err = template.Must(template.New("").Parse(nginxConf)).Execute(&conf, map[string]any{
		"Dir": dir, "Address": address, "Small": small, "Root": os.Getuid() == 0,
	})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "upstream.conf")
	if err := os.WriteFile(file, conf.Bytes(), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, largeBytes), 0o600); err != nil {
		return nil, err
	}
	p, err := process.Start(dir, "nginx", "-p", dir, "-e", "stderr", "-c", file)
	if err != nil {
		return nil, err
	}
	if err := p.Listening(address, 5*time.Second); err != nil {
		p.Stop()
		return nil, err
	}
	return &Upstream{address, p.Stop}, nil
}
