package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Need is something that a machine may lack, and without which some tests are
// skipped.
type Need struct {
	Name string // in RequireVariable
	// Find returns an error that says what is missing. It is nil if tests have
	// what they need.
	Find func() error
}

// The needs of tests. For each of them there is a package below internal/tests
// that shows whether it is met.
var (
	NeedPostgres = Need{"postgres", func() error {
		_, err := FindPostgres("postgres", "pgbench")
		return err
	}}
	NeedChromium = Need{"chromium", func() error {
		_, err := FindChromium()
		return err
	}}
	NeedPoppler    = Need{"poppler", programs("poppler-utils", "pdfinfo", "pdftotext", "pdftoppm")}
	NeedCurl       = Need{"curl", programs("bash, curl and openssl", "bash", "curl", "openssl")}
	NeedJQ         = Need{"jq", programs("jq", "jq")}
	NeedNode       = Need{"node", findNode}
	NeedJava       = Need{"java", programs("default-jdk-headless and maven", "java", "mvn")}
	NeedCargo      = Need{"cargo", findCargo}
	NeedPromtool   = Need{"promtool", programs("prometheus", "promtool")}
	NeedPHP        = Need{"php", programs("php-cli", "php")}
	NeedPostfix    = Need{"postfix", findPostfix}
	NeedPgBouncer  = Need{"pgbouncer", programs("pgbouncer", "pgbouncer")}
	NeedPython     = Need{"python", programs("python3 and python3-venv", "python3")}
	NeedCitus      = Need{"citus", variable(CitusVariable)}
	NeedOldBinary  = Need{"old-binary", variable(OldBinaryVariable)}
	NeedFullLength = Need{"full-length", variable(LongVariable)}
	// NeedSDK is met at full length, too.
	NeedSDK = Need{"sdk", func() error {
		if Long() {
			return nil
		}
		return variable(SDKVariable)()
	}}
)

// programs returns a Find for programs on the path. packages are the Debian
// packages that contain them.
func programs(packages string, names ...string) func() error {
	return func() error {
		for _, name := range names {
			if _, err := exec.LookPath(name); err != nil {
				return fmt.Errorf("%w (Debian packages: %s)", err, packages)
			}
		}
		return nil
	}
}

// oldestNode is the first release line of Node that sdk/typescript runs on.
const oldestNode = 20

func findNode() error {
	if err := programs("nodejs and npm", "node", "npm", "npx")(); err != nil {
		return err
	}
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w", err)
	}
	var major int
	if _, err := fmt.Sscanf(string(out), "v%d.", &major); err != nil || major < oldestNode {
		return fmt.Errorf("node is %s, want v%d or later", strings.TrimSpace(string(out)), oldestNode)
	}
	return nil
}

// findCargo does not name Debian's package, which is older than what generated clients need.
func findCargo() error {
	if _, err := exec.LookPath("cargo"); err != nil {
		return fmt.Errorf("%w (install Rust 1.85 or later)", err)
	}
	return nil
}

// findPostfix also wants to be root, as whom alone Postfix starts.
func findPostfix() error {
	if err := programs("postfix", "postfix", "postconf")(); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("only root can start postfix")
	}
	return nil
}

// variable returns a Find for an environment variable.
func variable(name string) func() error {
	return func() error {
		if os.Getenv(name) == "" {
			return errors.New(name + " is not set")
		}
		return nil
	}
}

// FindChromium returns the path of a Chromium browser.
func FindChromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium on the path (Debian package: chromium)")
}

// required reports whether tests must fail if the need is not met.
func (n Need) required() bool {
	return slices.Contains(strings.Split(os.Getenv(RequireVariable), ","), n.Name)
}

// OrSkip skips the test if the need is not met, or fails it if the need is
// required.
func (n Need) OrSkip(t testing.TB) {
	t.Helper()
	if err := n.Find(); err != nil {
		if n.required() {
			t.Fatal(err)
		}
		t.Skip("SKIPPED: ", err)
	}
}

// Met reports whether the need is met. If it is not, Met prints why, and ends the
// process if the need is required.
func (n Need) Met() bool {
	err := n.Find()
	if err == nil {
		return true
	}
	fmt.Println("SKIPPED:", err)
	if n.required() {
		os.Exit(1)
	}
	return false
}

// Announce is OrSkip for the package below internal/tests that shows whether the
// need is met. Of a package that passes, go test prints one line only; that line
// ends with "[no tests to run]" if the package's output contains this warning.
func (n Need) Announce(t testing.TB) {
	t.Helper()
	if n.Find() != nil && !n.required() {
		fmt.Print("\ntesting: warning: no tests to run\n")
	}
	n.OrSkip(t)
}
