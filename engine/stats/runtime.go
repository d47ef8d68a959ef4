package stats

import (
	"bytes"

	"github.com/VictoriaMetrics/metrics"
)

// writeRuntime writes the families of the process and the Go runtime that
// runtimeFamilies lists. The library gives the values; type and help are ours,
// as its own are global state and incomplete.
func writeRuntime(t *text) {
	if t.err != nil {
		return
	}
	var raw bytes.Buffer
	metrics.WriteGoMetrics(&raw)
	metrics.WriteProcMetrics(&raw)
	metrics.WriteFDMetrics(&raw)
	t.buf = appendRuntime(t.buf, raw.Bytes())
}

// appendRuntime appends the samples of raw whose family is listed, each family
// behind its metadata.
func appendRuntime(buf, raw []byte) []byte {
	last := ""
	for line := range bytes.Lines(raw) {
		name := runtimeFamily(line)
		f, ok := runtimeFamilies[name]
		if !ok {
			continue
		}
		if name != last {
			buf = appendMetadata(buf, name, f.help, f.kind)
			last = name
		}
		buf = append(buf, line...)
	}
	return buf
}

// runtimeFamily is the family of a line, empty for a comment.
func runtimeFamily(line []byte) string {
	end := bytes.IndexAny(line, "{ ")
	if end <= 0 || line[0] == '#' {
		return ""
	}
	name := string(line[:end])
	if _, ok := runtimeFamilies[name]; ok {
		return name
	}
	for _, suffix := range [...]string{"_sum", "_count"} {
		if family, ok := bytes.CutSuffix(line[:end], []byte(suffix)); ok {
			return string(family)
		}
	}
	return name
}
