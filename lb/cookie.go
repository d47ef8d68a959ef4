package lb

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// CookieSecretSize is the least number of bytes of a secret.
const CookieSecretSize = 32

// ErrCookieSecret is returned for a secret that is too short.
var ErrCookieSecret = errors.New("lb: the secret of an affinity cookie has less than 32 bytes")

// A token is a selector, by which the endpoint is found, and a tag, which proves that we made
// it. Both are parts of one MAC, so neither says anything about the endpoint.
const (
	selectorSize = 8
	tagSize      = 16
	tokenSize    = selectorSize + tagSize
	tokenText    = tokenSize / 3 * 4 // base64 without a rest
)

// CookieTokenLength is the length of every token, in characters.
const CookieTokenLength = tokenText

// A CookieCodec turns the endpoints of one Cluster into tokens for a cookie, and back. A token
// depends on the secret and the endpoint's ID alone: it is good in every process and for every
// Cluster with both. It is immutable and safe for concurrent use.
type CookieCodec struct {
	tokens     []string // by Index
	bySelector map[uint64]*tokenHolder
}

type tokenHolder struct {
	endpoint *Endpoint
	tag      [tagSize]byte
}

// NewCookieSecret returns a random secret.
func NewCookieSecret() []byte {
	secret := make([]byte, CookieSecretSize)
	rand.Read(secret) // never fails: it ends the process instead
	return secret
}

// NewCookieCodec returns the codec for the endpoints of c. The secret has 32 bytes or more.
func NewCookieCodec(secret []byte, c *Cluster) (*CookieCodec, error) {
	if len(secret) < CookieSecretSize {
		return nil, ErrCookieSecret
	}
	codec := &CookieCodec{
		tokens:     make([]string, c.Slots()),
		bySelector: make(map[uint64]*tokenHolder, len(c.endpoints)),
	}
	mac := hmac.New(sha256.New, secret)
	for _, e := range c.endpoints {
		mac.Reset()
		mac.Write([]byte("millrace affinity 1\x00"))
		mac.Write([]byte(e.id))
		token := mac.Sum(nil)[:tokenSize]
		codec.tokens[e.index] = base64.RawURLEncoding.EncodeToString(token)
		codec.bySelector[binary.BigEndian.Uint64(token)] = &tokenHolder{e, [tagSize]byte(token[selectorSize:])}
	}
	return codec, nil
}

// Encode returns the token of e, which is an endpoint of the codec's Cluster: 32 characters of
// letters, digits, "-" and "_".
func (c *CookieCodec) Encode(e *Endpoint) string { return c.tokens[e.index] }

// Decode returns the endpoint whose token value is, or nil when it is no token of ours or that
// of an endpoint that left. It does not allocate. How long it takes tells nothing about tags.
func (c *CookieCodec) Decode(value []byte) *Endpoint {
	if len(value) != tokenText {
		return nil
	}
	var token [tokenSize]byte
	// The decoder skips line ends; a value with one comes out short.
	if n, err := base64.RawURLEncoding.Decode(token[:], value); err != nil || n != tokenSize {
		return nil
	}
	holder := c.bySelector[binary.BigEndian.Uint64(token[:])]
	if holder == nil || subtle.ConstantTimeCompare(holder.tag[:], token[selectorSize:]) != 1 {
		return nil
	}
	return holder.endpoint
}
