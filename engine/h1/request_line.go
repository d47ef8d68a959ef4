package h1

import "bytes"

// parseLine reads the request line at the start of Raw and returns its length.
// Elements are separated by exactly one blank: RFC 9112, section 3 allows
// more, section 11.2 tells why not.
func (r *Request) parseLine(most int) (int, *Error) {
	raw := r.Raw
	i := 0
	for i < len(raw) && class[raw[i]]&classToken != 0 {
		i++
	}
	if i == 0 || i == len(raw) || raw[i] != ' ' {
		return 0, errMethod
	}
	if i > maxMethodBytes {
		return 0, errMethodLong
	}
	r.Method, r.MethodID = raw[:i], MethodIDOf(raw[:i])

	i++
	end := targetEnd(raw, i)
	if end-i > most {
		return 0, errTargetLong
	}
	if end == i || end == len(raw) || raw[end] != ' ' {
		return 0, errTarget
	}
	r.Target = raw[i:end]

	n, err := r.parseVersion(raw[end+1:])
	if err != nil {
		return 0, err
	}
	return end + 1 + n, r.parseTarget()
}

// parseVersion reads the version and the CRLF at the start of b, and returns
// the length of both.
func (r *Request) parseVersion(b []byte) (int, *Error) {
	const n = len("HTTP/1.1\r\n")
	if len(b) >= n {
		switch string(b[:n]) {
		case "HTTP/1.1\r\n":
			r.Minor = 1
			return n, nil
		case "HTTP/1.0\r\n":
			return n, nil
		}
	}
	line, _, _ := bytes.Cut(b, []byte("\r\n"))
	if len(line) == n-2 && string(line[:5]) == "HTTP/" && line[6] == '.' &&
		class[line[5]]&classDigit != 0 && class[line[7]]&classDigit != 0 {
		return 0, errVersion
	}
	return 0, errVersionForm
}

// parseTarget finds the form of Target and takes it apart.
func (r *Request) parseTarget() *Error {
	t := r.Target
	if r.MethodID == MethodConnect {
		r.Form = AuthorityForm
		if _, _, port := splitAuthority(t); !port || !ValidAuthority(t) {
			return errTarget
		}
		return nil
	}
	if t[0] == '/' {
		r.splitPath(t)
		return nil
	}
	if len(t) == 1 && t[0] == '*' && r.MethodID == MethodOptions {
		r.Form, r.Path = AsteriskForm, t
		return nil
	}
	return r.parseAbsolute()
}

// parseAbsolute takes an absolute-form target apart. Userinfo is refused, as
// RFC 9110, section 4.2.4 advises.
func (r *Request) parseAbsolute() *Error {
	t := r.Target
	colon := bytes.IndexByte(t, ':')
	if colon < 0 || len(t) < colon+3 || t[colon+1] != '/' || t[colon+2] != '/' {
		return errTarget
	}
	if s := t[:colon]; !isWord(s, "http") && !isWord(s, "https") {
		return errTarget
	}
	r.Form, r.Scheme = AbsoluteForm, t[:colon]
	rest := t[colon+3:]
	end := bytes.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	if r.Host = rest[:end]; !ValidAuthority(r.Host) {
		return errTarget
	}
	r.splitPath(rest[end:])
	if len(r.Path) == 0 {
		r.Path = t[colon+1 : colon+2]
	}
	return nil
}

// splitPath cuts a path and its query apart.
func (r *Request) splitPath(b []byte) {
	r.Path = b
	if i := bytes.IndexByte(b, '?'); i >= 0 {
		r.Path, r.Query = b[:i], b[i:]
	}
}
