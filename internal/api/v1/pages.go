package v1

import (
	"errors"
	"runtime"
	"sync"

	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
)

const (
	// sample is the size of the stored documents, in bytes, after which the size of
	// a page is estimated.
	sample = 64 << 10
	// ordinaryPage is the size of the stored documents of a page, in bytes, up to
	// which it is read without a permit. A full page of ordinary orders is smaller.
	ordinaryPage = 2 << 20
	// pageFactor is how many times the size of its stored documents a page takes up
	// while it is built: as orders and as the response.
	pageFactor = 2
)

// NewMemory returns room for so many bytes of requests and responses (see httpd.NewMemory), but
// at least for two of the largest pages of a list, whose last order may exceed the limit.
func NewMemory(bytes int64, crossed func(high bool)) *httpd.Memory {
	return httpd.NewMemory(bytes, pageFactor*(order.MaxPageBytes+2*httpd.MaxBody), crossed)
}

// pageBuffers are those that pages are built in.
var pageBuffers buffers

// buffers are reused, because growing one takes as long as filling it.
type buffers struct{ pool sync.Pool }

// mostKept is the size, in bytes, up to which a buffer is kept to be reused.
const mostKept = 1 << 20

func (b *buffers) get() []byte {
	if kept, ok := b.pool.Get().(*[]byte); ok {
		return (*kept)[:0]
	}
	return nil
}

func (b *buffers) put(used []byte) {
	if cap(used) <= mostKept {
		b.pool.Put(&used)
	}
}

// errLargePage means that a page is so large that it must be read with a permit.
var errLargePage = errors.New("this page takes a slot")

// pageMeter counts the stored documents of a page of orders while it is read, as
// bytes that the call holds.
type pageMeter struct {
	call *httpd.Call
	// limit is how many orders the page may have; 0 if the page is read with a permit.
	limit int64
	// expected is the size of the documents, in bytes, as estimated from a sample; 0
	// if the page is not large. It is held from the beginning, so that a page for
	// which there is no room is not read.
	expected       int64
	orders, stored int64
}

// add counts a document. It returns errLargePage if the page turns out to be large
// and is not read with a permit.
func (m *pageMeter) add(bytes int) error {
	m.orders++
	m.stored += int64(bytes)
	if m.limit == 0 {
		runtime.Gosched() // see withPermit
		return m.hold()
	}
	if estimate := m.stored / m.orders * m.limit; m.stored > sample && estimate > ordinaryPage {
		m.expected = min(estimate, order.MaxPageBytes)
		return errLargePage
	}
	return m.hold()
}

func (m *pageMeter) hold() error {
	return m.call.Hold(pageFactor * max(m.stored, m.expected))
}
