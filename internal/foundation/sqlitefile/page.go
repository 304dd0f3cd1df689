package sqlitefile

import (
	"encoding/binary"
	"fmt"
)

// The kinds of pages in a tree, by the first byte of their header.
const (
	innerIndex = 0x02
	innerTable = 0x05
	leafIndex  = 0x0a
	leafTable  = 0x0d
)

// node is a page of a tree whose structure is sound.
type node struct {
	table    bool     // of a table with row ids, else of an index
	children []uint32 // none for a leaf
	cells    []cell
}

// cell is an entry of a leaf of a table.
type cell struct {
	rowID   int64
	payload []byte // its beginning; the rest of a long one is on other pages
}

// parseNode reads a page of a tree. The problem is empty if its structure is sound.
func (f *File) parseNode(n uint32, content []byte) (result node, problem string) {
	header := 0
	if n == 1 {
		header = headerSize
	}
	p := &pageReader{content: content, usable: len(content) - f.Header.reserved, pages: f.pages, kind: content[header]}
	size := 8
	switch p.kind {
	case innerIndex, innerTable:
		size = 12
		p.child(binary.BigEndian.Uint32(content[header+8:]))
	case leafIndex, leafTable:
	default:
		return p.node, fmt.Sprintf("page %d is not a page of a table or an index", n)
	}
	cells := int(binary.BigEndian.Uint16(content[header+3:]))
	pointers := header + size
	start := int(binary.BigEndian.Uint16(content[header+5:]))
	if start == 0 {
		start = 1 << 16
	}
	if pointers+2*cells > start || start > p.usable {
		return p.node, fmt.Sprintf("page %d holds an impossible number of entries", n)
	}
	for i := range cells {
		p.cell(int(binary.BigEndian.Uint16(content[pointers+2*i:])), start)
	}
	p.node.table = p.kind == leafTable || p.kind == innerTable
	if p.problem != "" {
		p.problem = fmt.Sprintf("page %d is damaged: %s", n, p.problem)
	}
	return p.node, p.problem
}

// pageReader reads the cells of a page. It keeps the first problem.
type pageReader struct {
	content []byte
	usable  int // bytes of the page
	pages   uint32
	kind    byte
	node    node
	problem string
}

func (p *pageReader) fail(problem string) {
	if p.problem == "" {
		p.problem = problem
	}
}

// child adds a page that this one leads to.
func (p *pageReader) child(n uint32) {
	if n < 2 || n > p.pages {
		p.fail("it leads to a page that does not exist")
		return
	}
	p.node.children = append(p.node.children, n)
}

// cell reads the entry at an offset. None lies before start.
func (p *pageReader) cell(at, start int) {
	if at < start || at > p.usable-4 {
		p.fail("an entry lies outside of the page")
		return
	}
	rest := p.content[at:p.usable]
	if p.kind == innerTable || p.kind == innerIndex {
		p.child(binary.BigEndian.Uint32(rest))
		rest = rest[4:]
	}
	var length, rowID uint64
	var ok bool
	if p.kind != innerTable {
		if length, rest, ok = varint(rest); !ok {
			p.fail("an entry is cut off")
			return
		}
	}
	if p.kind == leafTable || p.kind == innerTable {
		if rowID, rest, ok = varint(rest); !ok {
			p.fail("an entry is cut off")
			return
		}
	}
	p.payload(length, int64(rowID), rest)
}

// payload checks that as much of an entry's content as belongs on this page is on it.
func (p *pageReader) payload(length uint64, rowID int64, rest []byte) {
	local, spills := p.localSize(length)
	end := local
	if spills {
		end += 4 // the number of the page that continues it
	}
	if end > len(rest) {
		p.fail("an entry reaches over the end of the page")
		return
	}
	if spills {
		if next := binary.BigEndian.Uint32(rest[local:]); next < 2 || next > p.pages {
			p.fail("an entry continues on a page that does not exist")
			return
		}
	}
	if p.kind == leafTable {
		if last := len(p.node.cells) - 1; last >= 0 && p.node.cells[last].rowID >= rowID {
			p.fail("its rows are not in order")
		}
		p.node.cells = append(p.node.cells, cell{rowID, rest[:local]})
	}
}

// localSize returns how many bytes of a payload are on the page itself, and whether
// the rest is on others (section 1.6 of the format).
func (p *pageReader) localSize(length uint64) (local int, spills bool) {
	u := uint64(p.usable)
	most, least := (u-12)*64/255-23, (u-12)*32/255-23
	if p.kind == leafTable {
		most = u - 35
	}
	if length <= most {
		return int(length), false
	}
	if fit := least + (length-least)%(u-4); fit <= most {
		return int(fit), true
	}
	return int(least), true
}

// varint reads an integer of one to nine bytes.
func varint(b []byte) (value uint64, rest []byte, ok bool) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return value<<8 | uint64(b[8]), b[9:], true
		}
		value = value<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return value, b[i+1:], true
		}
	}
	return 0, b, false
}
