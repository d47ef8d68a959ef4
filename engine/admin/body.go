package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
)

// readBody reads the whole body. It is read for each request, wanted or not:
// one that is too large is refused.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	most := int64(bodyBytes)
	if r.ContentLength > most {
		if r.Header.Get("Expect") != "" {
			return nil, &failure{status: http.StatusRequestEntityTooLarge} // then it is not sent
		}
		most = 0 // to hit the limit has net/http wait before it closes on what still arrives
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	body, err := io.ReadAll(r.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &failure{status: http.StatusRequestEntityTooLarge}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &failure{status: http.StatusRequestTimeout}
	}
	if err != nil {
		return nil, &failure{status: http.StatusBadRequest}
	}
	return body, nil
}

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

// readFields reads a body, which is a JSON object or nothing at all.
func readFields(contentType string, body []byte) (fields, error) {
	if len(body) == 0 {
		return fields{}, nil
	}
	if kind, _, err := mime.ParseMediaType(contentType); err != nil || kind != jsonText {
		return nil, &failure{http.StatusUnsupportedMediaType, "a body has the Content-Type application/json"}
	}
	return parseFields(body)
}

// parseFields reads one JSON object. Names compare exactly, and none comes
// twice: two readers of such a body could take it for different ones.
func parseFields(body []byte) (fields, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, malformed("it is no JSON object")
	}
	f := fields{}
	for d.More() {
		t, err := d.Token()
		name, isText := t.(string)
		if err != nil || !isText {
			return nil, malformed("it is no JSON")
		}
		if _, twice := f[name]; twice {
			return nil, malformed("the key %.40q comes twice", name)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, malformed("it is no JSON")
		}
		f[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, malformed("it is no JSON")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, malformed("something stands behind the JSON object")
	}
	return f, nil
}

// only returns an error if there are other members than the known ones.
func (f fields) only(known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(known, name) {
			return malformed("unknown key %.40q", name)
		}
	}
	return nil
}

// text returns the member, which must be there and be text.
func (f fields) text(name string) (string, error) {
	var v *string
	if raw, ok := f[name]; !ok {
		return "", malformed("%s is missing", name)
	} else if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		return "", malformed("%s is not text", name)
	}
	return *v, nil
}

// whole returns the member, which must be there and be a whole number.
func (f fields) whole(name string) (int, error) {
	var v *int
	if raw, ok := f[name]; !ok {
		return 0, malformed("%s is missing", name)
	} else if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		return 0, malformed("%s is not a whole number", name)
	}
	return *v, nil
}

func malformed(format string, args ...any) error {
	return &failure{http.StatusBadRequest, "body: " + fmt.Sprintf(format, args...)}
}
