package config

import "strings"

// A LogLevel is the least severe level that is written.
type LogLevel string

// The log levels, from the most to the least talkative.
const (
	LevelDebug LogLevel = "debug"
	LevelInfo  LogLevel = "info"
	LevelWarn  LogLevel = "warn"
	LevelError LogLevel = "error"
)

// A LogFormat is how log lines look.
type LogFormat string

// The formats. The log knows FormatJSON and FormatText, the access log FormatJSON and
// FormatCombined.
const (
	FormatJSON     LogFormat = "json"
	FormatText     LogFormat = "text"     // key=value
	FormatCombined LogFormat = "combined" // the combined format of web logs
)

// Log is the log of the process, written to stderr.
type Log struct {
	Level  LogLevel
	Format LogFormat
}

func (l *Log) keys() keys {
	return keys{
		{name: "level", form: oneOf(&l.Level, LevelDebug, LevelInfo, LevelWarn, LevelError),
			doc: "The least severe lines that are written"},
		{name: "format", form: oneOf(&l.Format, FormatJSON, FormatText),
			doc: "`text` is `key=value`"},
	}
}

// An AccessLog gets one line for each request.
type AccessLog struct {
	// Path is stdout, stderr, or a file, which is opened again on SIGUSR1.
	Path   string
	Format LogFormat

	path string
}

func (a *AccessLog) form() form {
	return mapping{path: &a.path, keys: keys{
		{name: "path", form: logFile{a},
			doc: "A file is opened again on SIGUSR1"},
		{name: "format", form: oneOf(&a.Format, FormatJSON, FormatCombined),
			doc: "`combined` is the line that web log tools know"},
	}}
}

// Standard streams an access log may be written to.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// logFile takes stdout, stderr or the name of a file.
type logFile struct{ log *AccessLog }

func (l logFile) shape() shape { return shape{kind: "stdout, stderr or a file", value: l.log.Path} }

func (l logFile) read(d *decoder, v value) {
	s := file(&l.log.Path).scalar
	s.kind = l.shape().kind
	s.parse = func(text string) (string, error) {
		if text == "" {
			return "", errEmpty
		}
		return text, nil
	}
	s.read(d, v)
	if l.log.Path != Stdout && l.log.Path != Stderr {
		l.log.Path = d.fileName(l.log.Path)
	}
}

// Trace is W3C trace context and the export of spans.
type Trace struct {
	// OTLPEndpoint is the URL of a collector without a final slash, to which
	// /v1/traces is appended; empty exports nothing.
	OTLPEndpoint string
	// Generate makes a context for a request that has none to continue.
	Generate bool
	// TrustRequest continues the context that a request carries.
	TrustRequest bool
	// SampleRatio is the share of generated contexts that are sampled, 0 to 1.
	SampleRatio float64
}

func (t *Trace) keys() keys {
	return keys{
		{name: "otlp_endpoint", form: optional{collector(&t.OTLPEndpoint)},
			doc: "Collector that gets spans by OTLP over HTTP; `/v1/traces` is appended. Absent: nothing is exported"},
		{name: "generate", form: boolean(&t.Generate),
			doc: "Make a trace context for a request that has none to continue"},
		{name: "trust_request", form: boolean(&t.TrustRequest),
			doc: "Continue the context that a request carries. Otherwise it is removed"},
		{name: "sample_ratio", form: decimal(&t.SampleRatio, 0, 1),
			doc: "Share of generated contexts that are sampled, 0 to 1. 0 is none"},
	}
}

// collector takes an origin, and a path where a collector is not at the root.
func collector(to *string) scalar[string] {
	s := text(to)
	s.kind = "a URL"
	s.parse = func(text string) (string, error) {
		scheme, rest, err := splitScheme(text)
		if err != nil {
			return "", err
		}
		authority, path, _ := strings.Cut(rest, "/")
		u, err := parseOrigin(string(scheme) + "://" + authority)
		if err != nil {
			return "", err
		}
		path = strings.Trim(path, "/")
		if path == "" {
			return u.Text, nil
		}
		return u.Text + "/" + path, checkTarget("/" + path)
	}
	return s.like(patternOrigin + "(/[^ #]*)?$")
}
