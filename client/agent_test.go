package client

import (
	"runtime/debug"
	"testing"
)

func TestModuleVersion(t *testing.T) {
	t.Parallel()
	shop := debug.Module{Path: "example.com/shop", Version: "v3.0.0"}
	other := debug.Module{Path: "example.com/other", Version: "v2.0.0"}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"no information": {nil, "devel"},
		"a release": {
			&debug.BuildInfo{Main: shop, Deps: []*debug.Module{&other, {Path: modulePath, Version: "v0.1.0"}}}, "0.1.0",
		},
		"a release from a service": {
			&debug.BuildInfo{Main: shop, Deps: []*debug.Module{{Path: packagePath, Version: "v0.1.0"}}}, "0.1.0",
		},
		"a checkout beside": {
			&debug.BuildInfo{Main: shop, Deps: []*debug.Module{
				{Path: modulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "../dropyard"}},
			}}, "devel",
		},
		"a fork": {
			&debug.BuildInfo{Main: shop, Deps: []*debug.Module{
				{Path: modulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.2.0"}},
			}}, "0.2.0",
		},
		"the service itself": {&debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v0.1.0"}}, "0.1.0"},
		"a build of it that has no version": {
			&debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, "devel",
		},
	} {
		if got := moduleVersion(c.info); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
