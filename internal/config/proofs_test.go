package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/config"
)

func TestProofStore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":          filepath.Join("d", "proofs"),
		"/srv/seen": "/srv/seen",
		"s3://AK:hunter2@s3.ca-central-1.amazonaws.com/my-bucket?region=ca-central-1&style=virtual": "s3://AK:****@s3.ca-central-1.amazonaws.com/my-bucket?region=ca-central-1&style=virtual (https)",
		"s3://AK:hunter2@127.0.0.1:9000/b.b.b/one/two_2?tls=off":                                    "s3://AK:****@127.0.0.1:9000/b.b.b/one/two_2?region=us-east-1&style=path (http)",
		"s3://A%2FK:hunter2%2F%2B%40@minio.internal/bucket/?tls=on&style=path":                      "s3://A%2FK:****@minio.internal/bucket?region=us-east-1&style=path (https)",
	} {
		settings := config.Config{Listen: "127.0.0.1:0", Data: "d", Proofs: text}
		store, err := settings.ProofStore()
		if err != nil || store.String() != want {
			t.Errorf("--proofs %q: got %s, %v, want %s", text, store, err, want)
		}
		printed := settings.String()
		if !strings.Contains(printed, " proofs="+want+" ") || strings.Contains(printed, "hunter2") {
			t.Errorf("--proofs %q: got %s, want proofs=%s and no secret", text, printed, want)
		}
	}
	store, err := (&config.Config{Proofs: "s3://A%2FK:hunter2%2F%2B%40@minio.internal/bucket/a/b"}).ProofStore()
	if err != nil || store.Key != "A/K" || store.Secret != "hunter2/+@" || store.Bucket != "bucket" ||
		store.Prefix != "a/b" {
		t.Errorf("escaped key and secret: got %+v, %v, want A/K, hunter2/+@, bucket and a/b", store, err)
	}
}

func TestCheckRefusesProofs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a file":         file,
		"other scheme":   "https://AK:hunter2@host/bucket",
		"no credentials": "s3://host/bucket",
		"no secret":      "s3://AK@host/bucket",
		"no key":         "s3://:hunter2@host/bucket",
		"no host":        "s3://AK:hunter2@/bucket",
		"no bucket":      "s3://AK:hunter2@host",
		"slash unquoted": "s3://AK:hunter2/x@host/bucket",
		"large bucket":   "s3://AK:hunter2@host/Bucket",
		"dots in prefix": "s3://AK:hunter2@host/bucket/../other",
		"spaces":         "s3://AK:hunter2@host/bucket/a%20b",
		"fragment":       "s3://AK:hunter2@host/bucket#hunter2",
		"other option":   "s3://AK:hunter2@host/bucket?secret=hunter2",
		"odd style":      "s3://AK:hunter2@host/bucket?style=both",
		"odd tls":        "s3://AK:hunter2@host/bucket?tls=maybe",
		"odd region":     "s3://AK:hunter2@host/bucket?region=a/b",
		"malformed":      "s3://AK:hunter2@host/bucket?region=%zz",
		"dotted virtual": "s3://AK:hunter2@host/my.bucket?style=virtual",
		"not an address": "s3://AK:hunter2@ho st/%zz",
	} {
		settings := validConfig(t)
		settings.Proofs = text
		err := settings.Check()
		if err == nil || !strings.Contains(err.Error(), "--proofs") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got error %v, want one that names --proofs and holds no secret", name, err)
		}
		if printed := settings.String(); strings.Contains(printed, "hunter2") {
			t.Errorf("%s: got %s, want it without the secret", name, printed)
		}
	}
}
