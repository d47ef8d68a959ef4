package route

// Strip returns what is left of a path behind the prefix that Find matched, for routes
// that do not pass their prefix on: the prefix is removed from the path's normal form, and
// the rest starts with a slash.
//
// ok is false, to be answered 400, if path is unsafe or does not start with prefix. rest
// points into path or scratch and is good until either changes or is used again. Strip
// does not allocate once scratch has grown to the longest path.
func Strip(prefix string, path []byte, scratch *Scratch) (rest []byte, ok bool) {
	if m := scan(path); m&suspicious != 0 {
		if path, _, ok = scratch.safe(path, m); !ok {
			return nil, false
		}
	}
	n := len(prefix)
	if n == 0 || !boundary(path, n) || string(path[:n]) != prefix {
		return nil, false
	}
	if prefix[n-1] == '/' {
		return path[n-1:], true
	}
	if len(path) == n {
		scratch.reading = append(scratch.reading[:0], '/')
		return scratch.reading, true
	}
	return path[n:], true
}
