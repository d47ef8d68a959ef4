package beacon

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// An Announcement is what one datagram says.
type Announcement struct {
	URL  string // canonical origin (see ParseMember); empty for a heartbeat that names no member
	Host string // who announces, for people; visible ASCII
	PID  int64
	Seq  uint64
	TS   int64 // wall clock in microseconds since the Unix epoch
}

const (
	word      = "BEACON"
	macMark   = " mac="
	macDigits = 16
	// maxDatagram is the longest datagram in bytes that is looked at.
	maxDatagram = 2048
)

// Append appends the datagram that says a, signed with key. URL and Host hold no blank.
func (a Announcement) Append(dst []byte, key Key) []byte {
	begin := len(dst)
	dst = append(dst, word...)
	if a.URL != "" {
		dst = append(append(dst, " url="...), a.URL...)
	}
	dst = append(append(dst, " host="...), a.Host...)
	dst = strconv.AppendInt(append(dst, " pid="...), a.PID, 10)
	dst = strconv.AppendUint(append(dst, " seq="...), a.Seq, 10)
	dst = strconv.AppendInt(append(dst, " ts="...), a.TS, 10)
	sum := mac(&key, dst[begin:])
	return append(append(dst, macMark...), sum[:]...)
}

// mac returns the signature of a message as it is written: the hash in little-endian
// order, in lower-case hexadecimal.
func mac(key *Key, message []byte) (text [macDigits]byte) {
	var sum [8]byte
	binary.LittleEndian.PutUint64(sum[:], sipHash(key, message))
	hex.Encode(text[:], sum[:])
	return text
}
