package upgrade_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// pack writes a folder into a compressed archive.
func pack(t *testing.T, dir, path string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	compressed := gzip.NewWriter(file)
	files := tar.NewWriter(compressed)
	err = files.AddFS(os.DirFS(dir))
	if err := errors.Join(err, files.Close(), compressed.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// unpack returns the database that pack has written, ready to be opened.
func unpack(t *testing.T, path, engine string) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir()}
	if err := extract(path, f.dir); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(f.dir, answersFile))
	if err == nil {
		err = json.Unmarshal(content, f)
	}
	if err != nil {
		t.Fatal(err)
	}
	if engine == postgreSQL {
		f.url = testkit.PostgresURL(t)
		if err := testkit.RunPostgresProgram("psql", "--quiet", "--no-psqlrc", "--single-transaction", "--set",
			"ON_ERROR_STOP=1", "--file",
			filepath.Join(f.dir, dumpFile), f.url); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// extract writes the files of an archive into a folder.
func extract(path, dir string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for files := tar.NewReader(compressed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if header.FileInfo().IsDir() {
			err = root.MkdirAll(header.Name, 0o700)
		} else {
			err = write(root, header.Name, files)
		}
		if err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, content io.Reader) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
