package main

import "io"

// farewell is what an upstream says last through a tunnel.
const farewell = "good bye"

// socket switches to another protocol and echoes: size bytes, then it takes its leave
// itself, or without a size until the other side does.
func (s *service) socket() bool {
	io.WriteString(s.conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
	var from io.Reader = s.r
	if size := s.number("size"); size > 0 {
		from = io.LimitReader(s.r, size)
	}
	if _, err := io.Copy(s.conn, from); err != nil {
		return false
	}
	io.WriteString(s.conn, farewell)
	leave(s.conn)
	return false
}
