package sqlitefile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
)

// Log describes the write-ahead log of a database.
type Log struct {
	// Frames is how many frames the log has, without those that are left over from
	// before it was last begun again.
	Frames int
	// Valid is how many of them SQLite reads: those before the first whose checksum
	// is wrong.
	Valid int
	// Committed is how many of these belong to complete transactions.
	Committed int

	pages      uint32          // in the database after the last commit
	written    map[uint32]bool // the pages that it has committed versions of
	oldest     uint32          // user version in the first committed page 1
	newest     uint32          // and in the last one
	hasVersion bool            // the log has a committed page 1
}

const (
	logHeader   = 32
	frameHeader = 24
	logMagic    = 0x377f0682 // the last bit is the byte order of the checksums
	logVersion  = 3007000
)

// continues reports whether a log may belong to a file with this user version. The
// service counts it up, so that the file has one from the time of the log; and a new
// database begins at a random one.
func (l *Log) continues(version uint32) bool {
	const slack = 16
	if !l.hasVersion || version == 0 {
		return true
	}
	return int32(version-l.oldest) >= -slack && int32(l.newest-version) >= 0
}

// readLog reads all frames of the log. A log that ends in an incomplete transaction
// is what a crash leaves; one that goes on behind a broken frame is damaged.
func readLog(path string, pageSize int) (log Log, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return log, nil
	} else if err != nil {
		return log, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return log, err
	}
	if !info.Mode().IsRegular() {
		return log, fmt.Errorf("%s is not a file", path)
	}
	if info.Size() < logHeader+frameHeader+int64(pageSize) {
		return log, nil // a crash while the log was created; nothing was committed in it
	}
	r := &logReader{in: bufio.NewReaderSize(file, 1<<20), log: Log{written: map[uint32]bool{}}}
	problem, err := r.readHeader()
	switch {
	case err != nil:
		return log, err
	case problem != "":
		return log, &DamageError{BadLog, path, problem}
	case r.pageSize != pageSize:
		return log, &DamageError{OtherLog, path, "the log belongs to another database: its pages have another size"}
	}
	if err := r.readFrames(); err != nil {
		return log, err
	}
	if r.broken {
		problem := fmt.Sprintf("the log is damaged: %d of its %d frames can be read, and complete transactions follow",
			r.log.Valid, r.log.Frames)
		return log, &DamageError{BadLog, path, problem}
	}
	return r.log, nil
}

// logReader reads a log from its beginning to its end.
type logReader struct {
	in       *bufio.Reader
	order    binary.ByteOrder // of the checksums
	pageSize int
	salts    [8]byte
	sum      checksum // of the header and the valid frames
	log      Log
	latest   uint32 // user version in the last page 1
	broken   bool   // a complete transaction follows a broken frame
}

// checksum is the running checksum of a log.
type checksum struct{ a, b uint32 }

func (c checksum) add(order binary.ByteOrder, data []byte) checksum {
	for ; len(data) >= 8; data = data[8:] {
		c.a += order.Uint32(data) + c.b
		c.b += order.Uint32(data[4:]) + c.a
	}
	return c
}

// storedChecksum reads a checksum, which is always big-endian.
func storedChecksum(b []byte) checksum {
	return checksum{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// readHeader returns the problem that it finds, or an empty text. SQLite syncs the
// header before it writes the first frame, so a log with frames has a sound one.
func (r *logReader) readHeader() (problem string, err error) {
	var b [logHeader]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return "", err
	}
	first := binary.BigEndian.Uint32(b[:])
	r.order = binary.LittleEndian
	if first&1 == 1 {
		r.order = binary.BigEndian
	}
	r.sum = checksum{}.add(r.order, b[:24])
	if first&^1 != logMagic || binary.BigEndian.Uint32(b[4:]) != logVersion || r.sum != storedChecksum(b[24:]) {
		return "the log is damaged: none of its frames can be read, because its header is wrong", nil
	}
	r.pageSize, r.salts = int(binary.BigEndian.Uint32(b[8:])), [8]byte(b[16:24])
	return "", nil
}

// frame is a page in the log, with its header.
type frame []byte

func (f frame) page() uint32 { return binary.BigEndian.Uint32(f) }

// pages in the database, if it ends a transaction
func (f frame) commit() uint32   { return binary.BigEndian.Uint32(f[4:]) }
func (f frame) salts() [8]byte   { return [8]byte(f[8:16]) }
func (f frame) stored() checksum { return storedChecksum(f[16:]) }
func (f frame) content() []byte  { return f[frameHeader:] }

// follows reports whether the frame's checksum continues another.
func (f frame) follows(sum checksum, order binary.ByteOrder) bool {
	return sum.add(order, f[:8]).add(order, f.content()) == f.stored()
}

// readFrames reads on behind the first broken frame. Frames with other salts are left
// over from before the log was last begun again. Of the others there, a crash leaves
// at most those of one transaction, because SQLite syncs the log at every commit. So
// a frame that continues the checksum of a commit proves that the broken frame was
// whole before.
func (r *logReader) readFrames() error {
	content := make(frame, frameHeader+r.pageSize)
	written := map[uint32]bool{} // pages of the transaction that has not ended yet
	intact, afterCommit := true, false
	for {
		if _, err := io.ReadFull(r.in, content); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		} else if err != nil {
			return err
		}
		own := content.salts() == r.salts
		if own {
			r.log.Frames++
		}
		follows := own && content.page() != 0 && content.follows(r.sum, r.order)
		intact = intact && follows
		if intact {
			r.accept(content, written)
		} else {
			r.broken = r.broken || follows && afterCommit
			afterCommit = own && content.commit() != 0
		}
		r.sum = content.stored()
	}
}

// accept counts a valid frame, and the transaction that it ends.
func (r *logReader) accept(content frame, written map[uint32]bool) {
	r.log.Valid++
	written[content.page()] = true
	if content.page() == 1 {
		r.latest = binary.BigEndian.Uint32(content.content()[userVersionAt:])
	}
	if content.commit() == 0 {
		return
	}
	r.log.Committed, r.log.pages = r.log.Valid, content.commit()
	if written[1] {
		if !r.log.hasVersion {
			r.log.oldest = r.latest
		}
		r.log.newest, r.log.hasVersion = r.latest, true
	}
	maps.Copy(r.log.written, written)
	clear(written)
}
