package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/dropyard/dropyard"

// buildDropyard builds dropyard from this tree.
func buildDropyard(ctx context.Context, file string) error {
	return build(ctx, ".", file, module+"/cmd/dropyard")
}

// buildPeer builds PocketBase, from a module of its own, which dropyard does not
// depend on.
func buildPeer(ctx context.Context, file string) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	return build(ctx, filepath.Join(strings.TrimSpace(string(root)), "bench", "peer"), file, ".")
}

func build(ctx context.Context, directory, file, pkg string) error {
	// As a release, without what only debuggers read: linking takes half the time.
	command := exec.CommandContext(ctx, "go", "build", "-C", directory, "-ldflags=-s -w", "-o", file,
		pkg) //nolint:gosec // packages of this repository
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build %s, inside the repository: %w", pkg, err)
	}
	return nil
}
