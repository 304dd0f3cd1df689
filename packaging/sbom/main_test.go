package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// TestWrite reads the bill of materials of a program of which two modules are known: this
// test.
func TestWrite(t *testing.T) {
	t.Parallel()
	var first, second bytes.Buffer
	for _, to := range []*bytes.Buffer{&first, &second} {
		if err := write(to, []string{os.Args[0], os.Args[0]}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the second run: got other bytes, want the same")
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(&first, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if bom.Metadata.Component.Name != "dropyard" || bom.Metadata.Component.Type != cdx.ComponentTypeApplication {
		t.Errorf("got %+v, want the application dropyard", bom.Metadata.Component)
	}
	versions := map[string]string{}
	for _, c := range *bom.Components {
		if c.PackageURL != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("got package URL %s for %s %s", c.PackageURL, c.Name, c.Version)
		}
		versions[c.Name] = c.Version
	}
	for _, want := range []string{"std", "github.com/CycloneDX/cyclonedx-go", "github.com/google/uuid"} {
		if versions[want] == "" {
			t.Errorf("got components %v, want %s among them", versions, want)
		}
	}
	if needs := *(*bom.Dependencies)[0].Dependencies; len(needs) != len(*bom.Components) {
		t.Errorf("got %d dependencies of dropyard, want %d", len(needs), len(*bom.Components))
	}
}

// TestWriteRefusesOtherFiles expects an error for what is not a program of Go.
func TestWriteRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	for _, programs := range [][]string{nil, {"main.go"}, {"missing"}} {
		var out strings.Builder
		if err := write(&out, programs); err == nil || out.Len() > 0 {
			t.Errorf("%q: got %v and %q, want an error and nothing written", programs, err, out.String())
		}
	}
}
