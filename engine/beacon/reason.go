package beacon

// A Reason says why a datagram was dropped. Its zero value says that it was not.
type Reason uint8

// The reasons, in the order in which a datagram is checked.
const (
	accepted Reason = iota
	// Oversize is a datagram of more than 2048 bytes.
	Oversize
	// EmbeddedNUL is a datagram with a NUL byte anywhere.
	EmbeddedNUL
	// NoMAC is a datagram without " mac=".
	NoMAC
	// BadMACLength is a signature that is not 16 bytes to the end of the datagram.
	BadMACLength
	// MACMismatch is a signature with another secret, or a datagram that was changed.
	MACMismatch
	// BadFrame is a message that is not the word and key=value with single blanks between.
	BadFrame
	// DuplicateField is a key that stands twice.
	DuplicateField
	// NoTS is a message without ts=.
	NoTS
	// BadTS is a ts that is no decimal number of 63 bits.
	BadTS
	// Stale is a ts further from the receiver's clock than the skew that is allowed.
	Stale
	// UnacceptableURL is a url that is not a plain origin.
	UnacceptableURL
	// TableFull is one more member than a receiver keeps track of.
	TableFull
	// Replayed is a ts that is not above the last one accepted of the member.
	Replayed
	// NotManaged is a member of the cluster that does not belong to the receiver.
	NotManaged
	// AddFailed is a member that the cluster did not take.
	AddFailed
	// AddUnconfirmed is a member that the cluster took and does not have.
	AddUnconfirmed

	reasons = int(AddUnconfirmed) + 1
)

// reasonNames has the text for the log, which is that of httpd, and the label for metrics.
var reasonNames = [reasons]struct{ text, label string }{
	accepted:        {"accepted", "accepted"},
	Oversize:        {"oversize datagram", "oversize_datagram"},
	EmbeddedNUL:     {"embedded NUL", "embedded_nul"},
	NoMAC:           {"no mac", "no_mac"},
	BadMACLength:    {"bad mac length", "bad_mac_length"},
	MACMismatch:     {"mac mismatch", "mac_mismatch"},
	BadFrame:        {"bad frame", "bad_frame"},
	DuplicateField:  {"duplicate field", "duplicate_field"},
	NoTS:            {"no ts", "no_ts"},
	BadTS:           {"bad ts", "bad_ts"},
	Stale:           {"stale timestamp", "stale_timestamp"},
	UnacceptableURL: {"unacceptable url", "unacceptable_url"},
	TableFull:       {"member table full", "member_table_full"},
	Replayed:        {"replayed/reordered ts", "replayed_reordered_ts"},
	NotManaged:      {"member not managed by beacon", "member_not_managed_by_beacon"},
	AddFailed:       {"balancer add failed (full?)", "balancer_add_failed_full"},
	AddUnconfirmed:  {"balancer add not confirmed", "balancer_add_not_confirmed"},
}

// String returns the text of the log.
func (r Reason) String() string { return reasonNames[r].text }

// Label returns the value of the label "reason" in metrics.
func (r Reason) Label() string { return reasonNames[r].label }

// Reasons returns every reason there is.
func Reasons() []Reason {
	all := make([]Reason, 0, reasons-1)
	for r := Oversize; int(r) < reasons; r++ {
		all = append(all, r)
	}
	return all
}
