package engine

import (
	"strconv"
	"unicode/utf8"
)

// jsonDate is the layout of accessRecord.second for appendJSON (RFC 3339).
const jsonDate = "2006-01-02T15:04:05"

// appendJSON writes the record as one JSON object and a line feed.
func appendJSON(dst []byte, r *accessRecord) []byte {
	dst = append(dst, `{"time":"`...)
	dst = append(dst, r.second...)
	dst = append(appendThousandths(dst, r.fraction/1e6), `Z","remote_ip":"`...)
	if r.remote.IsValid() {
		dst = r.remote.AppendTo(dst)
	}
	dst = append(dst, `","method":"`...)
	dst = appendJSONText(dst, r.method, textLimit)
	dst = append(dst, `","host":"`...)
	dst = appendJSONText(dst, r.host, textLimit)
	dst = append(dst, `","uri":"`...)
	dst = appendJSONText(dst, r.target, textLimit)
	dst = append(dst, `","protocol":"`...)
	dst = append(dst, r.protocol...)
	dst = append(dst, `","status":`...)
	dst = strconv.AppendInt(dst, int64(r.status), 10)
	dst = append(dst, `,"bytes_in":`...)
	dst = strconv.AppendInt(dst, r.bytesIn, 10)
	dst = append(dst, `,"bytes_out":`...)
	dst = strconv.AppendInt(dst, r.bytesOut, 10)
	dst = append(dst, `,"duration_ms":`...)
	dst = appendMilliseconds(dst, r.duration)
	if r.ttfb >= 0 {
		dst = append(dst, `,"ttfb_ms":`...)
		dst = appendMilliseconds(dst, r.ttfb)
	}
	dst = append(dst, `,"route":"`...)
	dst = appendJSONText(dst, r.route, unlimited)
	dst = append(dst, `","cluster":"`...)
	dst = appendJSONText(dst, r.cluster, unlimited)
	if r.errorType != "" {
		dst = append(dst, `","error_type":"`...)
		dst = append(dst, r.errorType...)
	}
	dst = append(dst, `","request_id":"`...)
	dst = appendJSONText(dst, r.requestID, textLimit)
	if len(r.traceID) > 0 {
		dst = append(dst, `","trace_id":"`...)
		dst = appendJSONText(dst, r.traceID, textLimit)
	}
	if r.proxied {
		dst = appendProxied(dst, r)
	} else {
		dst = append(dst, '"')
	}
	return append(dst, '}', '\n')
}

// appendProxied goes on, behind the text of a value, with what is said of a proxied request.
func appendProxied(dst []byte, r *accessRecord) []byte {
	dst = append(dst, `","backend_url":"`...)
	dst = appendJSONText(dst, r.backendURL, unlimited)
	if r.resolvedIP.IsValid() {
		dst = append(dst, `","backend_resolved_ip":"`...)
		dst = r.resolvedIP.AppendTo(dst)
	}
	if r.unixPath != "" {
		dst = append(dst, `","backend_unix_path":"`...)
		dst = appendJSONText(dst, r.unixPath, unlimited)
	}
	dst = append(dst, `","connection_reused":`...)
	dst = strconv.AppendBool(dst, r.reused)
	dst = append(dst, `,"retry_count":`...)
	dst = strconv.AppendInt(dst, int64(r.retries), 10)
	dst = append(dst, `,"same_upstream_retry_count":`...)
	dst = strconv.AppendInt(dst, int64(r.sameTries), 10)
	dst = append(dst, `,"circuit_breaker_state":"`...)
	dst = append(dst, r.circuit...)
	return append(dst, '"')
}

// appendMilliseconds writes ns as milliseconds with three decimals.
func appendMilliseconds(dst []byte, ns int64) []byte {
	us := ns / 1000
	dst = strconv.AppendInt(dst, us/1000, 10)
	return appendThousandths(dst, us%1000)
}

// appendThousandths writes a point and the three digits of n, which is below 1000.
func appendThousandths(dst []byte, n int64) []byte {
	return append(dst, '.', '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10))
}

// appendJSONText writes the inside of a JSON string: s up to a limit of its decoded length
// in bytes, which never splits a character. Bytes that are no UTF-8 become U+FFFD each.
// Whatever a terminal, or a reader that takes other characters than the line feed for the
// end of a line, could act on is escaped.
func appendJSONText[T string | []byte](dst []byte, s T, limit int) []byte {
	start, end := 0, min(len(s), limit)
	for i := plainEnd(s, 0, end); i < end; i = plainEnd(s, i, end) {
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		broken := r == utf8.RuneError && size == 1
		if broken {
			limit -= len("\uFFFD") - 1
			end = min(len(s), limit)
		}
		if i+size > limit {
			end = i
			break
		}
		if broken || mustEscape(r) {
			dst = append(dst, s[start:i]...)
			dst = appendRune(dst, r)
			start = i + size
		}
		i += size
	}
	return append(dst, s[start:end]...)
}

// mustEscape reports whether r may not, or should not, stand for itself.
func mustEscape(r rune) bool {
	return r < ' ' || r == '"' || r == '\\' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
}

// appendRune writes r, escaped if it has to be.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case mustEscape(r):
		return append(dst, '\\', 'u', lowerHex[r>>12], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
	}
	return utf8.AppendRune(dst, r)
}

const lowerHex = "0123456789abcdef"
