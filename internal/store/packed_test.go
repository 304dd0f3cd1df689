package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// TestPackedDocuments packs documents and reads them again, into memory that is used again.
func TestPackedDocuments(t *testing.T) {
	t.Parallel()
	var buffer []byte
	for _, document := range []string{
		"", "{}", `{"order_id":`, `{"order_id":"ord_1","metadata":{"é":"` + strings.Repeat("x", 20_000) + `"}}`,
		strings.Repeat(`{"status":"pending"}`, 3), string(bytes.SplitN(orders1, []byte("\n"), 2)[0]),
	} {
		stored := pack([]byte(document))
		if len(stored) > len(document) {
			t.Errorf("got %d bytes stored, want %d at most", len(stored), len(document))
		}
		got, err := unpack(buffer, stored)
		if err != nil || string(got) != document {
			t.Errorf("got %q, %v, want %q", got, err, document)
		}
		buffer = got
	}
}

// TestOldPackedDocument reads a document that was stored with the first dictionary. It
// must never change.
func TestOldPackedDocument(t *testing.T) {
	t.Parallel()
	stored, err := hex.DecodeString(
		"014174a77b7a150009003076010000315691050c412d312211a73294003e8805247374616e64617264227d",
	)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"order_id":"ord_00000000000000000000000000000001","partner_order_id":"A-1","status":"pending","service_level":"standard"}`
	if got, err := unpack(nil, stored); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestDamagedPackedDocument changes every byte of a packed document, and cuts it everywhere.
func TestDamagedPackedDocument(t *testing.T) {
	t.Parallel()
	document := bytes.SplitN(orders1, []byte("\n"), 3)[1]
	stored := pack(document)
	for at := range stored {
		damaged := bytes.Clone(stored)
		damaged[at] ^= 0x55
		if got, err := unpack(nil, damaged); err == nil && bytes.Equal(got, document) {
			t.Errorf("byte %d changed: got the document, want an error", at)
		}
		row := orderRow{Order: delivery.Order{OrderID: "ord_1"}}
		if err := unpackInto(&row.document, damaged); err != nil {
			row.damaged(err)
		}
		if row.order().Damage == nil {
			t.Errorf("byte %d changed: got an order, want its damage", at)
		}
		if got, err := unpack(nil, stored[:at]); err == nil && bytes.Equal(got, document) {
			t.Errorf("cut at %d: got the document, want an error", at)
		}
	}
}

// FuzzUnpack reads anything as a stored document: what can be read has a size of at most
// maxPacked, and anything that is packed can be read.
func FuzzUnpack(f *testing.F) {
	for _, document := range bytes.SplitN(orders1, []byte("\n"), 4)[:3] {
		f.Add(pack(document))
		f.Add(document)
	}
	// says that it is larger than any
	f.Add(append(binary.AppendUvarint([]byte{currentDictionary, 0, 0, 0, 0}, maxPacked+1), 0xff, 0xff))
	f.Fuzz(func(t *testing.T, stored []byte) {
		if got, err := unpack(nil, stored); err == nil && len(got) > max(maxPacked, len(stored)) {
			t.Errorf("got %d bytes", len(got))
		}
		if got, err := unpack(nil, pack(stored)); len(stored) >= packedHeader && stored[0] == '{' &&
			(err != nil || !bytes.Equal(got, stored)) {
			t.Errorf("got %q, %v, want %q", got, err, stored)
		}
	})
}
