package h1

import "github.com/valyala/fasthttp"

// StatusText returns the reason phrase for a status code, or "" if there is
// none. Names are those of RFC 9110.
func StatusText(code int) string {
	switch code {
	case 413:
		return "Content Too Large"
	case 414:
		return "URI Too Long"
	case 416:
		return "Range Not Satisfiable"
	case 422:
		return "Unprocessable Content"
	}
	if s := fasthttp.StatusMessage(code); s != fasthttp.StatusMessage(0) {
		return s
	}
	return ""
}
