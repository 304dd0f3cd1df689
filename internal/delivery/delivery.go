// Package delivery is the vocabulary of the trade: orders, parcels, contacts,
// stock, the statuses of an order and the table of transitions between them, and
// the rules for every field.
//
// It is pure: it reads no clock, draws no randomness and does no I/O. It imports
// the foundations only, and every other package may import it.
package delivery
