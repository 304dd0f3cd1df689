package downloads

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// ModulePath is the path of the module for Go, and of its package. The repository has the same package in the module of
// the service: programs import it by the same path from both. A module of its own has checksums of its own, which never
// contradict those of the whole module.
const ModulePath = "github.com/dropyard/dropyard/client"

// ProxyPath is the path below which the module is served, for GOPROXY.
const ProxyPath = "go"

// moduleFiles returns the files of the module: the package, and the one package of the service that it imports.
func moduleFiles(s *source) []entry {
	files := append(s.glob("client", "*.go", "README.md"), s.read("", "LICENSE"),
		entry{"go.mod", modOf(s.read("", "go.mod").content)})
	for _, one := range s.glob("internal/signature", "*.go") {
		if !strings.HasSuffix(one.name, "_test.go") {
			files = append(files, entry{"internal/signature/" + one.name, one.content})
		}
	}
	for i := range files {
		files[i].content = bytes.ReplaceAll(files[i].content, []byte(`"github.com/dropyard/dropyard/internal/signature"`),
			[]byte(`"`+ModulePath+`/internal/signature"`))
	}
	return files
}

var goVersion = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)

// modOf returns the go.mod of the module, given that of the service: any release of the same version of Go will do.
func modOf(service []byte) []byte {
	version := ""
	if found := goVersion.FindSubmatch(service); found != nil {
		version = string(found[1])
	}
	return fmt.Appendf(nil, "module %s\n\ngo %s\n", ModulePath, version)
}

// packModule packs the module as a proxy serves it, see go.dev/ref/mod#goproxy-protocol.
func packModule(s *source, packed *Clients, files []entry) {
	version := "v" + packed.Version
	module := ProxyPath + "/" + ModulePath
	at := module + "/@v/"
	info, err := json.Marshal(map[string]string{"Version": version})
	if err != nil {
		s.fail(err)
	}
	text := "text/plain; charset=utf-8"
	packed.moduleList = File{at + "list", text, []byte(version + "\n")}
	packed.moduleInfo = File{at + version + ".info", "application/json", info}
	packed.moduleLatest = File{module + "/@latest", "application/json", info}
	packed.moduleMod = File{at + version + ".mod", text, contentOf(files, "go.mod")}
	packed.Module = File{at + version + ".zip", "application/zip", s.zipped(ModulePath+"@"+version+"/", files)}
}
