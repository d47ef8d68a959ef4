package engine

import "strconv"

// combinedDate is the layout of accessRecord.second for appendCombined.
const combinedDate = "02/Jan/2006:15:04:05"

// appendCombined writes the record in the combined format of web servers and a line feed.
func appendCombined(dst []byte, r *accessRecord) []byte {
	if r.remote.IsValid() {
		dst = r.remote.AppendTo(dst)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, " - - ["...)
	dst = append(dst, r.second...)
	dst = append(dst, ` +0000] "`...)
	dst = append(appendCombinedText(dst, r.method), ' ')
	dst = append(appendCombinedText(dst, r.target), ' ')
	if r.protocol == "" {
		dst = append(dst, '-')
	}
	dst = append(dst, r.protocol...)
	dst = append(dst, `" `...)
	dst = strconv.AppendInt(dst, int64(r.status), 10)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, r.bytesOut, 10)
	dst = append(dst, ` "`...)
	dst = appendCombinedText(dst, r.referer)
	dst = append(dst, `" "`...)
	dst = appendCombinedText(dst, r.userAgent)
	return append(dst, '"', '\n')
}

// appendCombinedText writes s up to the limit of client text: what could end a quoted text
// or a line, or a reader could take for more than text, as \xHH; a dash for nothing.
func appendCombinedText(dst, s []byte) []byte {
	if len(s) == 0 {
		return append(dst, '-')
	}
	s = s[:min(len(s), textLimit)]
	for {
		i := plainEnd(s, 0, len(s))
		dst = append(dst, s[:i]...)
		if i == len(s) {
			return dst
		}
		dst = append(dst, '\\', 'x', upperHex[s[i]>>4], upperHex[s[i]&15])
		s = s[i+1:]
	}
}

const upperHex = "0123456789ABCDEF"
