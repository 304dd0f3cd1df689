package client

import (
	"runtime/debug"
	"strings"
	"sync"
)

// modulePath is the path of the module that this package belongs to in the repository, and packagePath that of the
// module that a service offers.
const (
	modulePath  = "github.com/dropyard/dropyard"
	packagePath = modulePath + "/client"
)

// defaultUserAgent returns the User-Agent of a service without one: the version of this module that the program was
// built with.
var defaultUserAgent = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return "dropyard-go/" + moduleVersion(info)
})

// moduleVersion returns the version of this module in a build, such as 0.1.0; "devel" if it has none, as in a checkout.
func moduleVersion(info *debug.BuildInfo) string {
	if info == nil {
		return develVersion
	}
	for _, module := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if module.Path != modulePath && module.Path != packagePath {
			continue
		}
		if module.Replace != nil {
			module = module.Replace
		}
		if version, ok := strings.CutPrefix(module.Version, "v"); ok {
			return version
		}
	}
	return develVersion
}

const develVersion = "devel"
