package exports

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Format is a format of files.
type Format string

// The formats. Their names are the endings of files.
const (
	FormatCSV   Format = "csv"
	FormatJSONL Format = "jsonl"
)

// Formats lists all formats.
var Formats = []Format{FormatCSV, FormatJSONL}

// Kind is a kind of files.
type Kind string

// The kinds of files of a day. Their names are the beginnings of files.
const (
	KindOrders     Kind = "orders"      // that were created
	KindOrderEdits Kind = "order_edits" // orders that were edited
	KindEvents     Kind = "events"
	KindMovements  Kind = "movements"
	KindJournal    Kind = "journal"
)

// partBytes is how many bytes a file has before the next one is begun. A bucket takes files of 5 GiB in one request,
// and a request that fails is sent again as a whole.
const partBytes = 1 << 30

// row is what a file has of a row of the database.
type row struct {
	id   string
	json []byte // on one line, without its end
	// csv writes the lines of the row, and returns how many it has.
	csv func(w *csvfile.Writer) int64
}

// write writes the files of a day and puts them in the place.
func (s *Service) write(ctx context.Context, folder string, day date.Day) ([]File, error) {
	var files []File
	for _, table := range s.tables() {
		written, err := s.writeTable(ctx, folder, day, table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table.source, err)
		}
		files = append(files, written...)
	}
	return files, nil
}

// writeTable writes the files of a source in one pass, so that all of them have the same rows.
func (s *Service) writeTable(ctx context.Context, folder string, day date.Day, table table) (_ []File, err error) {
	outputs := make([][]*output, len(table.files)) // of each of the files in each format
	for i, layout := range table.files {
		for _, format := range s.config.Formats {
			out := &output{service: s, folder: folder, day: day, layout: layout, format: format}
			if err := out.open(); err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, out.close()) }()
			outputs[i] = append(outputs[i], out)
		}
	}
	for after := (RowKey{}); ; {
		begun := s.config.Now()
		var keys []RowKey
		rows := make([][]row, len(outputs))
		if err := s.config.Store.Read(ctx, func(tx Reader) error {
			if keys, err = tx.Sealed(ctx, day, table.source, after, pageSize); err == nil && len(keys) > 0 {
				rows, err = table.rows(ctx, tx, keys)
			}
			return err
		}); err != nil {
			return nil, err
		}
		for i := range outputs {
			for _, out := range outputs[i] {
				if err := out.write(ctx, rows[i]); err != nil {
					return nil, err
				}
			}
		}
		if len(keys) < pageSize {
			break
		}
		after = keys[len(keys)-1]
		if err := s.hold(ctx); err != nil {
			return nil, err
		}
		if err := s.pause(ctx, s.config.Now().Sub(begun)); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, out := range slices.Concat(outputs...) {
		if err := out.put(ctx); err != nil {
			return nil, err
		}
		files = append(files, out.files...)
	}
	return files, nil
}

// output writes the files of a kind in a format: one, or several if it is large.
type output struct {
	service *Service
	folder  string
	day     date.Day
	layout  layout
	format  Format
	files   []File // those that are in the place

	// What follows is of the file that is being written.
	file    *os.File // nil if it is closed
	buffer  *bufio.Writer
	csv     *csvfile.Writer // nil in other formats
	sum     hash.Hash
	current File
}

// Write implements io.Writer: it counts what goes to the file.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.buffer.Write(p)
	o.current.Bytes += int64(n)
	_, _ = o.sum.Write(p[:n])
	return n, err
}

// open begins a file.
func (o *output) open() (err error) {
	name := string(o.layout.kind)
	if part := len(o.files) + 1; part > 1 {
		name = fmt.Sprintf("%s-%04d", name, part)
	}
	o.current = File{Name: name + "." + string(o.format), Kind: o.layout.kind, Format: o.format}
	if o.file, err = os.OpenFile(o.path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	o.buffer, o.sum = bufio.NewWriterSize(o.file, 1<<16), sha256.New()
	if o.format == FormatCSV {
		o.csv = csvfile.NewWriter(o, csvfile.Layout{}, o.layout.columns...)
		return o.csv.Flush()
	}
	return nil
}

func (o *output) path() string { return filepath.Join(o.folder, o.current.Name) }

// close closes the file that is being written.
func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	o.file = nil
	return err
}

// write adds rows, and begins another file if this one is large.
func (o *output) write(ctx context.Context, rows []row) error {
	for _, r := range rows {
		lines, err := o.row(r)
		if err != nil {
			return err
		}
		if lines == 0 {
			continue
		}
		if o.current.Rows += lines; o.current.FirstID == nil {
			o.current.FirstID = &r.id
		}
		o.current.LastID = &r.id
	}
	most := int64(partBytes)
	if o.service.config.PartBytes > 0 {
		most = o.service.config.PartBytes
	}
	if o.current.Bytes < most || o.current.Rows == 0 {
		return nil
	}
	if err := o.put(ctx); err != nil {
		return err
	}
	return o.open()
}

func (o *output) row(r row) (lines int64, err error) {
	if o.csv == nil {
		_, err = o.Write(append(r.json, '\n'))
		return 1, err
	}
	lines = r.csv(o.csv)
	return lines, o.csv.Flush()
}

// put puts the file that was written in the place, unless it is one of several and has no rows.
func (o *output) put(ctx context.Context) error {
	if err := errors.Join(o.buffer.Flush(), o.close()); err != nil {
		return err
	}
	if o.current.Rows == 0 && len(o.files) > 0 {
		return nil
	}
	o.current.SHA256 = hex.EncodeToString(o.sum.Sum(nil))
	if err := o.service.keep(ctx, func(ctx context.Context) error {
		return o.service.config.Place.Put(ctx, folderOf(o.day)+o.current.Name, o.path(), o.current.SHA256)
	}); err != nil {
		return err
	}
	o.files = append(o.files, o.current)
	return nil
}

// keep holds the work while something is done that takes long, and ends that if another node has taken the work.
func (s *Service) keep(ctx context.Context, do func(context.Context) error) error {
	if err := s.hold(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	for {
		select {
		case err := <-done:
			if cause := context.Cause(ctx); err != nil && cause != nil {
				return cause
			}
			return err
		case <-s.config.At(s.config.Now().Add(heldFor / 3)):
			if err := s.hold(ctx); err != nil {
				cancel(err)
			}
		}
	}
}

// indent writes JSON with line breaks, for people.
func indent(out *bytes.Buffer, text []byte) error { return json.Indent(out, text, "", "  ") }

var _ io.Writer = (*output)(nil)
