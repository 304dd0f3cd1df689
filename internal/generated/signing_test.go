package generated_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestSigningSamples runs the programs in examples/signing over the vectors. Each reads
// one vector on a line, and prints a signature, valid or invalid.
func TestSigningSamples(t *testing.T) {
	t.Parallel()
	testkit.NeedSDK.OrSkip(t)
	lines, want := signingVectors(t)
	for file, sample := range map[string]struct {
		needs   []testkit.Need
		command []string
	}{
		"sign.go":   {nil, []string{"go", "run"}},
		"sign.mjs":  {[]testkit.Need{testkit.NeedNode}, []string{"node"}},
		"sign.php":  {[]testkit.Need{testkit.NeedFullLength, testkit.NeedPHP}, []string{"php"}},
		"sign.py":   {[]testkit.Need{testkit.NeedPython}, []string{"python3"}},
		"Sign.java": {[]testkit.Need{testkit.NeedFullLength, testkit.NeedJava}, []string{"java"}},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, need := range sample.needs {
				need.OrSkip(t)
			}
			command := exec.CommandContext(t.Context(), sample.command[0],
				append(sample.command[1:], filepath.Join("../../examples/signing", file))...)
			command.Stdin = bytes.NewReader(lines)
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			got := strings.Fields(string(out))
			if len(got) != len(want) {
				t.Fatalf("got %d lines, want %d: %s", len(got), len(want), out)
			}
			for i, vector := range want {
				if got[i] != vector.answer {
					t.Errorf("%s: got %s, want %s", vector.name, got[i], vector.answer)
				}
			}
		})
	}
}

type signingVector struct{ name, answer string }

// signingVectors returns the vectors of requests and webhooks, each on a line, and what a
// sample should print for each.
func signingVectors(t *testing.T) (lines []byte, want []signingVector) {
	t.Helper()
	text, err := os.ReadFile("../signature/testdata/signature_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		SecretKey string           `json:"secret_key"`
		Requests  []map[string]any `json:"requests"`
		Webhooks  []map[string]any `json:"webhooks"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, vector := range append(vectors.Requests, vectors.Webhooks...) {
		answer, isRequest := vector["signature"].(string)
		switch {
		case isRequest:
			vector["secret_key"] = vectors.SecretKey
		case vector["valid"] == true:
			answer = "valid"
		default:
			answer = "invalid"
		}
		want = append(want, signingVector{vector["name"].(string), answer})
		delete(vector, "signature")
		delete(vector, "valid")
		if err := encoder.Encode(vector); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes(), want
}
