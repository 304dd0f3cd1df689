package main

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/foundation/zone"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

// build describes the program.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit, so that a build can be repeated byte for byte
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	// TimeZones is the version of the time zones that are used on this machine.
	TimeZones string `json:"time_zones"`
	System    string `json:"system"`
}

// thisBuild reads what the compiler has noted. It knows no commit if the program was
// built outside of a repository.
func thisBuild() build {
	zones, _ := zone.Newest() // doctor reports the error
	b := build{
		Version: version, Go: runtime.Version(), TimeZones: zones.Version, System: runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return b
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func (c versionCommand) Run() error {
	b := thisBuild()
	if c.JSON {
		return json.NewEncoder(terminal.NewJSONWriter(os.Stdout)).Encode(b)
	}
	err := printf("dropyard %s\n", b.Version)
	for _, line := range []struct{ name, value string }{
		{"commit", b.Commit}, {"time", b.Time}, {"go", b.Go}, {"zones", b.TimeZones}, {"system", b.System},
	} {
		if err == nil && line.value != "" {
			err = printf("  %-7s%s\n", line.name, line.value)
		}
	}
	if err == nil && b.Modified {
		err = printf("  the files differed from those of the commit\n")
	}
	return err
}
