package testkit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// VendoredFile is what the vendored.json of a folder says about a file of others.
type VendoredFile struct {
	Package, Version, File, License string // File is its path in the package
	LicenseFile                     string `json:"license_file"`
	SHA256                          string
}

// Vendored compares the files of a folder that match one of the patterns with its
// vendored.json: each is listed, with its digest, version, path in the package and licence.
// It returns the list.
func Vendored(t *testing.T, folder string, patterns ...string) map[string]VendoredFile {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(folder, "vendored.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vendored map[string]VendoredFile
	if err := json.Unmarshal(list, &vendored); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) != len(vendored) {
		t.Errorf("got the files %q, want the %d of the list", files, len(vendored))
	}
	for name, file := range vendored {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != file.SHA256 {
			t.Errorf("%s: got SHA-256 %x, want %s", name, sum, file.SHA256)
		}
		if _, err := os.Stat(filepath.Join(folder, file.LicenseFile)); err != nil || file.License == "" ||
			file.Version == "" || file.File == "" {
			t.Errorf("%s: got %+v, %v, want its licence, version and file", name, file, err)
		}
	}
	return vendored
}
