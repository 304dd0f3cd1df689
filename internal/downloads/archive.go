package downloads

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"time"
)

// made is the time of all files in archives, so that the same sources give the same bytes. Zip has no time before 1980.
var made = time.Date(2020, 2, 2, 0, 0, 0, 0, time.UTC)

// fileMode is the mode of all files in archives.
const fileMode = 0o644

// zipped returns an archive of files below a folder, whose name may be empty or ends with a slash.
func (s *source) zipped(folder string, files []entry) []byte {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, one := range files {
		header := &zip.FileHeader{Name: folder + one.name, Method: zip.Deflate, Modified: made}
		header.SetMode(fileMode)
		w, err := archive.CreateHeader(header)
		if err == nil {
			_, err = w.Write(one.content)
		}
		if err != nil {
			s.fail(err)
		}
	}
	if err := archive.Close(); err != nil {
		s.fail(err)
	}
	return out.Bytes()
}

// tarred returns a compressed archive of files below a folder, whose name ends with a slash.
func (s *source) tarred(folder string, files []entry) []byte {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		s.fail(err)
		return nil
	}
	archive := tar.NewWriter(compressed)
	for _, one := range files {
		err := archive.WriteHeader(&tar.Header{
			Name: folder + one.name, Mode: fileMode, Size: int64(len(one.content)), ModTime: made, Format: tar.FormatUSTAR,
		})
		if err == nil {
			_, err = archive.Write(one.content)
		}
		if err != nil {
			s.fail(err)
		}
	}
	if err := archive.Close(); err != nil {
		s.fail(err)
	}
	if err := compressed.Close(); err != nil {
		s.fail(err)
	}
	return out.Bytes()
}
