// Package delivery is Dropyard's vocabulary: orders, parcels, contacts, stock,
// the states an order can be in and the one table of transitions between them,
// the rules every field must obey, and the kinds of refusal.
//
// It is pure: no clock, no randomness, no I/O, nothing but the standard
// library. Every other room may import it; it imports none of them.
package delivery
