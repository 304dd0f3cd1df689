package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/profile"
)

// TestUpdatesAtOnce expects that of many updates at the same time, through a link too, none
// is lost, and that the link remains one.
func TestUpdatesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "profiles.json"), filepath.Join(dir, "link.json")
	if err := profile.Update(path, func(*profile.Profiles) {}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			where := []string{path, link}[i%2]
			err := profile.Update(where,
				func(all *profile.Profiles) { all.Profiles[fmt.Sprint("shop-", i)] = &profile.Profile{Server: "x"} })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	loaded, err := profile.Load(path)
	if err != nil || len(loaded.Profiles) != 20 {
		t.Errorf("got %v, %v, want 20 profiles", loaded.Names(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("got %v, %v, want a link", info.Mode(), err)
	}
}

// TestUpdateAndLoad expects that profiles come back as they were, and that no other user can
// read them.
func TestUpdateAndLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "dropyard", "profiles.json")
	none, err := profile.Load(path)
	if err != nil || len(none.Profiles) != 0 || none.InUse() != profile.Default {
		t.Fatalf("no file: got %+v, %v, want no profiles", none, err)
	}
	err = profile.Update(path, func(all *profile.Profiles) {
		all.Current = "shop"
		all.Profiles["shop"] = &profile.Profile{
			Server: "https://dropyard.example", Partner: &profile.Partner{PublicKey: "pk", SecretKey: "sk"},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := profile.Load(path)
	if err != nil || loaded.InUse() != "shop" || loaded.Profiles["shop"].Partner.SecretKey != "sk" {
		t.Errorf("got %+v, %v, want the profile that was saved", loaded, err)
	}
	for _, name := range []string{path, path + ".lock", filepath.Dir(path)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, error %v, want no access for group and others", name, info.Mode(), err)
		}
	}
}

// TestLoadRefusesSharedFile expects an error without a secret in it for a file that other
// users can read or write.
func TestLoadRefusesSharedFile(t *testing.T) {
	t.Parallel()
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o620: true} {
		path := filepath.Join(t.TempDir(), "profiles.json")
		if err := os.WriteFile(path, []byte(`{"profiles":{"a":{"server":"x","partner":{"secret_key":"sk_hush"}}}}`),
			0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := profile.Load(path)
		if (err != nil) != refused ||
			err != nil && (!strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), "hush")) {
			t.Errorf("mode %04o: got error %v, want an error: %v", mode, err, refused)
		}
	}
}

// TestLoadRefusesOtherFiles expects an error that names the file.
func TestLoadRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "server: x", `{"profiles":{"a":null}}`, `[]`} {
		path := filepath.Join(t.TempDir(), "profiles.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := profile.Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got error %v, want one with the path", content, err)
		}
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"default": true, "shop-2.test": true, "": false, "-x": false, "a b": false, "a/b": false,
		strings.Repeat("a", 65): false,
	} {
		if err := profile.CheckName(name); (err == nil) != valid {
			t.Errorf("%q: got %v, want valid: %v", name, err, valid)
		}
	}
}
