package db

import "encoding/binary"

// The header of a page of a tree: its kind, where the list of blocks between its rows that
// are free begins, the number of its rows, and where the first of them begins
// (sqlite.org/fileformat2.html, 1.6). That of page 1 is behind the header of the file.
const (
	freeBlockAt  = 1
	cellsAt      = 3
	contentAt    = 5
	leafHeader   = 8
	branchHeader = 12 // with the number of one page more
	fileHeader   = 100
	blockHeader  = 4 // of a free block: where the next one is, and its length
	reservedAt   = 20
)

// tidyPage overwrites with zeros what is unused in a page of a tree, and reports whether
// anything else was there. It leaves other pages as they are, and damaged ones.
//
// A page of a tree begins with its kind: 2, 5, 10 or 13. All other pages that are in use
// begin with the number of the next page of their kind, so that their first byte is 0 or
// 1 in a database of less than mostPages. A free page may begin with anything, and
// overwriting a part of it harms nothing.
func tidyPage(number uint32, page []byte) (changed bool) {
	header, usable := 0, len(page)
	if number == 1 {
		header = fileHeader
	}
	if len(page) < header+branchHeader {
		return false
	}
	if number == 1 && page[reservedAt] != 0 {
		return false // only extensions of SQLite reserve space; every page then has it
	}
	var size int
	switch page[header] {
	case 2, 5:
		size = branchHeader
	case 10, 13:
		size = leafHeader
	default:
		return false
	}
	at := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	content := at(header + contentAt)
	if content == 0 {
		content = 1 << 16
	}
	gap := header + size + 2*at(header+cellsAt)
	if gap > content || content > usable {
		return false
	}
	blocks, sound := freeBlocks(page, at(header+freeBlockAt), content)
	if !sound {
		return false
	}
	for _, unused := range append(blocks, page[gap:content]) {
		if !isZero(unused) {
			clear(unused)
			changed = true
		}
	}
	return changed
}

// freeBlocks returns what the free blocks of a page hold, behind their headers. The list is
// sound if it ascends and stays within the content of the page.
func freeBlocks(page []byte, first, content int) (blocks [][]byte, sound bool) {
	for before := content; first != 0; {
		if first < before || first+blockHeader > len(page) {
			return nil, false
		}
		next, size := int(binary.BigEndian.Uint16(page[first:])), int(binary.BigEndian.Uint16(page[first+2:]))
		if size < blockHeader || first+size > len(page) {
			return nil, false
		}
		blocks = append(blocks, page[first+blockHeader:first+size])
		before, first = first+size, next
	}
	return blocks, true
}

func isZero(content []byte) bool {
	for _, b := range content {
		if b != 0 {
			return false
		}
	}
	return true
}
