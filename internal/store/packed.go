package store

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/klauspost/compress/s2"
)

// A packed document is one byte with the number of its dictionary, the CRC-32C of the
// document in 4 bytes (little-endian), and the document as a block of S2 that was
// compressed with the dictionary. A document that does not become smaller is stored as
// it is: JSON begins with {, which is not the number of a dictionary.
const (
	packedHeader = 1 + 4
	// maxPacked bounds what is allocated for a block whose length may be damaged. A
	// request has 1 MiB at most, of which escaping may make six times as much.
	maxPacked = 8 << 20
)

// A dictionary holds invented orders, as records show them. It must never change, nor
// be removed, because stored documents cannot be read without it. A better one gets the
// next number.
//
//go:embed dictionaries/orders-1.txt
var orders1 []byte

const currentDictionary = 1

var (
	dictionaries = map[byte]*s2.Dict{1: s2.MakeDict(orders1, nil)}
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	errPacked    = errors.New("the packed document is damaged")
)

// pack returns a document as it is stored.
func pack(document []byte) []byte {
	packed := make([]byte, packedHeader, packedHeader+s2.MaxEncodedLen(len(document)))
	packed[0] = currentDictionary
	binary.LittleEndian.PutUint32(packed[1:], crc32.Checksum(document, castagnoli))
	block := dictionaries[currentDictionary].Encode(packed[packedHeader:cap(packed)], document)
	if packedHeader+len(block) >= len(document) {
		return db.NotNil(document)
	}
	return packed[:packedHeader+len(block)]
}

// unpack returns a stored document. It reuses the memory of buffer if that is large
// enough.
func unpack(buffer, stored []byte) ([]byte, error) {
	if len(stored) < packedHeader || stored[0] == '{' {
		return append(buffer[:0], stored...), nil
	}
	block := stored[packedHeader:]
	size, err := s2.DecodedLen(block)
	dictionary := dictionaries[stored[0]]
	if err != nil || size > maxPacked || dictionary == nil {
		return nil, errPacked
	}
	document, err := dictionary.Decode(buffer[:cap(buffer)], block)
	if err != nil || crc32.Checksum(document, castagnoli) != binary.LittleEndian.Uint32(stored[1:]) {
		return nil, errPacked
	}
	return document, nil
}

// PackDocument returns an order's record as the column orders.document has it, for
// programs that write to the database without the store.
func PackDocument(document []byte) []byte { return pack(document) }

// UnpackDocument returns an order's record from the column orders.document, for programs
// that read the database without the store.
func UnpackDocument(stored []byte) ([]byte, error) { return unpack(nil, stored) }

// packed is a column of a document that is stored packed. damaged is called for a row
// whose document cannot be unpacked, with the reason; the field is then as it is stored.
func packed[R any](name string, field func(R) *[]byte, damaged func(R, error)) db.Column[R] {
	return db.EncodedBytes(name, func(of R) []byte { return pack(*field(of)) }, func(of R, stored []byte) {
		if err := unpackInto(field(of), stored); err != nil {
			damaged(of, err)
		}
	})
}

// unpackInto unpacks a document. What cannot be unpacked is as it is stored.
func unpackInto(document *[]byte, stored []byte) error {
	unpacked, err := unpack(*document, stored)
	if err != nil {
		unpacked = bytes.Clone(stored)
	}
	*document = unpacked
	return err
}
