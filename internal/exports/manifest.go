package exports

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// SchemaVersion is the version of the files: it grows if a column changes its meaning or is removed, not if one is
// added.
const SchemaVersion = 1

// ManifestName is the name of the manifest in the folder of a day. It is written last.
const ManifestName = "manifest.json"

// Manifest lists the files of a day.
type Manifest struct {
	SchemaVersion int       `json:"schema_version"`
	Day           date.Day  `json:"day"`
	TimeZone      string    `json:"time_zone"`
	From          time.Time `json:"from"` // when the day began and ended
	To            time.Time `json:"to"`
	SealedAt      time.Time `json:"sealed_at"` // when it was settled which rows are in its files
	Personal      bool      `json:"personal"`  // whether the files have names, addresses and texts
	// Previous is the manifest of the day before; null for the first day.
	Previous *Previous `json:"previous"`
	Files    []File    `json:"files"`
}

// Previous names the manifest of the day before.
type Previous struct {
	Day    date.Day `json:"day"`
	SHA256 string   `json:"sha256"`
}

// File describes a file of a day.
type File struct {
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Format Format `json:"format"`
	Rows   int64  `json:"rows"` // without the line with the names of columns
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// FirstID and LastID are those of the first and the last row; null in a file without rows.
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
}

// folderOf returns the folder of a day, with a slash at its end.
func folderOf(day date.Day) string { return "day=" + day.String() + "/" }

// encode returns the bytes of the manifest, indented for people.
func (m *Manifest) encode() ([]byte, error) {
	text, err := strictjson.Marshal(m)
	if err != nil {
		return nil, err
	}
	return indented(text)
}

// mostManifest bounds what is read of a manifest.
const mostManifest = 16 << 20

// readManifest returns the manifest of a day with its digest; nil if there is none.
func (s *Service) readManifest(ctx context.Context, day date.Day) (m *Manifest, digest string, err error) {
	file, err := s.config.Place.Open(ctx, folderOf(day)+ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, mostManifest))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, "", err
	}
	m = &Manifest{}
	if err := strictjson.Unmarshal(text, m); err != nil {
		return nil, "", fmt.Errorf("%s cannot be read: %w", folderOf(day)+ManifestName, err)
	}
	sum := sha256.Sum256(text)
	return m, hex.EncodeToString(sum[:]), nil
}

// checkFiles compares the files of a manifest with it.
func (s *Service) checkFiles(ctx context.Context, m *Manifest) error {
	for _, listed := range m.Files {
		name := folderOf(m.Day) + listed.Name
		if filepath.Base(listed.Name) != listed.Name {
			return fmt.Errorf("%s names a file in another folder: %q", folderOf(m.Day)+ManifestName, listed.Name)
		}
		file, err := s.config.Place.Open(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is missing", name)
		}
		if err != nil {
			return err
		}
		sum := sha256.New()
		size, err := io.Copy(sum, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if got := hex.EncodeToString(sum.Sum(nil)); size != listed.Bytes || got != listed.SHA256 {
			return fmt.Errorf("%s has %d bytes and the SHA-256 %s; its manifest says %d and %s", name, size, got,
				listed.Bytes, listed.SHA256)
		}
	}
	return nil
}

// putManifest writes the manifest of a day, and returns its digest.
func (s *Service) putManifest(ctx context.Context, folder string, m *Manifest) (digest string, err error) {
	text, err := m.encode()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, ManifestName)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	digest = hex.EncodeToString(sum[:])
	return digest, s.config.Place.Put(ctx, folderOf(m.Day)+ManifestName, path, digest)
}

// Checked is what Verify has found.
type Checked struct {
	Days, Files int
	Bytes       int64
	Faults      []error
}

// verifyPage is how many days are read at a time.
const verifyPage = 100

// Verify compares all days that were exported with their manifests: that each is the one that was written, that it
// names the manifest of the day before, and that its files are as it says.
func (s *Service) Verify(ctx context.Context) (c Checked, err error) {
	for before, later := date.Day(0), (*Manifest)(nil); ; {
		var days []*Day
		if err := s.config.Store.Read(ctx, func(tx Reader) error {
			days, err = tx.Days(ctx, before, verifyPage)
			return err
		}); err != nil || len(days) == 0 {
			return c, err
		}
		for _, day := range days {
			if before = day.Day; day.DoneAt.IsZero() {
				continue
			}
			if err := ctx.Err(); err != nil {
				return c, err
			}
			m, err := s.verify(ctx, day, later)
			if later = m; err != nil {
				c.Faults = append(c.Faults, fmt.Errorf("%s: %w", day.Day, err))
				continue
			}
			c.Days++
			c.Files += len(m.Files)
			c.Bytes += day.Bytes
		}
	}
}

// verify compares a day with its manifest, and the manifest with that of the next day, which is nil for the last.
func (s *Service) verify(ctx context.Context, day *Day, later *Manifest) (*Manifest, error) {
	m, digest, err := s.readManifest(ctx, day.Day)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, fmt.Errorf("%s is missing", folderOf(day.Day)+ManifestName)
	case digest != day.Digest:
		return m, fmt.Errorf("%s is not the one that was written", folderOf(day.Day)+ManifestName)
	case later != nil && (later.Previous == nil || *later.Previous != Previous{day.Day, digest}):
		return m, fmt.Errorf("the manifest of %s does not name the one of %s", later.Day, day.Day)
	}
	return m, s.checkFiles(ctx, m)
}

func indented(text []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := indent(&out, text); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
