package ring

import "github.com/cespare/xxhash/v2"

// Hash returns the ring's hash of key, as Lookup and Walk take it: XXH64 with seed 0, the same
// in every process. It is not a defence against chosen keys.
func Hash(key []byte) uint64 { return xxhash.Sum64(key) }

// HashString is Hash for a string.
func HashString(key string) uint64 { return xxhash.Sum64String(key) }
