// Command sbom prints the bill of materials of a release, in the form of CycloneDX: the
// modules that its programs were built from. It reads them from the programs themselves.
//
//	go run ./packaging/sbom PROGRAM...
package main

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

func main() {
	if err := write(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the bill of materials of programs that were built from the same commit,
// for several systems.
func write(to io.Writer, programs []string) error {
	if len(programs) == 0 {
		return errors.New("no program given; usage: sbom PROGRAM [PROGRAM]")
	}
	modules := map[string]*debug.Module{} // by path: those of one system may not be part of another
	var first *debug.BuildInfo
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		first = cmp.Or(first, info)
		if commit := setting(info, "vcs.revision"); commit != setting(first, "vcs.revision") ||
			info.GoVersion != first.GoVersion {
			return fmt.Errorf("%s: built from commit %q with %s, want those of %s", program, commit, info.GoVersion, programs[0])
		}
		for _, module := range info.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			modules[module.Path] = module
		}
	}
	modules["std"] = &debug.Module{Path: "std", Version: strings.TrimPrefix(first.GoVersion, "go")}
	return cdx.NewBOMEncoder(to, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(describe(first,
		modules), cdx.SpecVersion1_6)
}

func describe(info *debug.BuildInfo, modules map[string]*debug.Module) *cdx.BOM {
	service := component(&info.Main, cdx.ComponentTypeApplication)
	service.Name = "dropyard"
	components := make([]cdx.Component, 0, len(modules))
	needs := make([]string, 0, len(modules))
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		c := component(modules[path], cdx.ComponentTypeLibrary)
		components = append(components, c)
		needs = append(needs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	// The same programs have the same serial number, so that a build can be repeated.
	bom.SerialNumber = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL,
		[]byte(service.PackageURL+" "+setting(info, "vcs.revision")+" "+info.GoVersion)).String()
	bom.Metadata = &cdx.Metadata{
		Timestamp:  setting(info, "vcs.time"),
		Component:  &service,
		Properties: &[]cdx.Property{{Name: "vcs.revision", Value: setting(info, "vcs.revision")}},
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: service.BOMRef, Dependencies: &needs}}
	return bom
}

func component(module *debug.Module, kind cdx.ComponentType) cdx.Component {
	address := "pkg:golang/" + module.Path + "@" + module.Version
	return cdx.Component{Type: kind, BOMRef: address, Name: module.Path, Version: module.Version, PackageURL: address}
}

// setting returns what the compiler has noted about a build, such as its commit.
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
