package stats

import (
	"io"
	"strconv"
	"strings"
)

// flushSize is how many bytes of text are gathered for one write.
const flushSize = 32 << 10

var helpEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`)

// text writes families in the Prometheus text format 0.0.4. After an error of
// the writer it writes nothing more.
type text struct {
	to      io.Writer
	buf     []byte
	err     error
	family  *family
	started bool // the metadata of family is written
}

// begin makes f the family of what follows. Its metadata is written with its
// first sample, and not at all without one.
func (t *text) begin(f *family) { t.family, t.started = f, false }

func (t *text) metadata() {
	if t.started {
		return
	}
	t.started = true
	t.buf = appendMetadata(t.buf, t.family.name, t.family.help, t.family.kind)
}

func appendMetadata(buf []byte, name, help, kind string) []byte {
	buf = append(buf, "# HELP "+name+" "...)
	buf = append(buf, helpEscaper.Replace(help)...)
	return append(buf, "\n# TYPE "+name+" "+kind+"\n"...)
}

// count writes a sample with a whole number; parts are rendered labels.
func (t *text) count(v int64, parts ...string) {
	t.open("", parts)
	t.buf = strconv.AppendInt(t.buf, v, 10)
	t.close()
}

// float writes a sample; parts are rendered labels.
func (t *text) float(v float64, parts ...string) {
	t.open("", parts)
	t.buf = strconv.AppendFloat(t.buf, v, 'f', -1, 64)
	t.close()
}

// histogram writes the samples of a histogram.
func (t *text) histogram(s *scale, h times, labels string) {
	var below int64
	for i, le := range s.labels {
		below += h.buckets[i]
		t.open("_bucket", []string{labels, le})
		t.buf = strconv.AppendInt(t.buf, below, 10)
		t.close()
	}
	t.open("_sum", []string{labels})
	t.buf = strconv.AppendFloat(t.buf, float64(h.micros)/1e6, 'f', -1, 64)
	t.close()
	t.open("_count", []string{labels})
	t.buf = strconv.AppendInt(t.buf, below, 10)
	t.close()
}

// open writes a sample up to its value.
func (t *text) open(suffix string, parts []string) {
	t.metadata()
	t.buf = append(append(t.buf, t.family.name...), suffix...)
	separator := byte('{')
	for _, p := range parts {
		t.buf = append(append(t.buf, separator), p...)
		separator = ','
	}
	if len(parts) > 0 {
		t.buf = append(t.buf, '}')
	}
	t.buf = append(t.buf, ' ')
}

// close ends a sample.
func (t *text) close() {
	t.buf = append(t.buf, '\n')
	if len(t.buf) >= flushSize {
		t.flush()
	}
}

func (t *text) flush() {
	if t.err == nil && len(t.buf) > 0 {
		_, t.err = t.to.Write(t.buf)
	}
	t.buf = t.buf[:0]
}
