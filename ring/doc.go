// Package ring maps keys to members by consistent hashing.
//
// Every member owns points on a ring of 64-bit hashes, in proportion to its weight, and a key
// belongs to the owner of the first point at or after the key's hash. Where the points are
// depends on nothing but the members' keys and weights: neither on their order, nor on the
// process, nor on the machine. Proxies with the same members therefore agree without talking.
//
// Points. A weight unit (weights are divided by their greatest common divisor) is worth 2,048
// points. That is halved until the whole ring has at most 256 Ki points, but no member gets
// fewer than 8. Equal members then own the same part of the keys within 10 % while they are 64
// or fewer, and within 35 % up to about a thousand.
//
// Moves. Adding one of n members moves the keys that the new one takes, about 1/n of all, and
// no others. The exceptions are additions that change what a unit is worth, since they give new
// points to every member or take some from it: one that changes the common divisor of the
// weights, and one with which the sum of the units passes 128, 256, 512 and so on, where the
// next halving is due. About half of the keys move there. Fitting the points to the limit
// instead of halving them would have every addition above it move twice its share.
package ring
