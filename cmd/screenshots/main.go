// Command screenshots shows every page in every state and writes a picture of each to
// docs/screenshots, or, with -demo, starts a demo and writes the pictures of the README.
//
//	go run ./cmd/screenshots [-out folder] [-only part of a name] [-all] [-demo]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// usual are the readers that scenes are shown to unless all are asked for.
var usual = []browser.Reader{
	{Language: "en", Width: 360, Scripts: true},
	{Language: "en", Width: 1280, Scripts: true},
	{Language: "fr", Width: 1280, Dark: true, Scripts: true},
}

func main() {
	out := flag.String("out", "docs/screenshots", "the folder to write to")
	only := flag.String("only", "", "write only scenes whose name contains this")
	all := flag.Bool("all", false, "show each scene to every reader: languages, widths, themes, with scripts and without")
	demo := flag.Bool("demo", false, "show a demo instead of the scenes: the pictures of the README")
	flag.Parse()
	readers := usual
	if *all {
		readers = browser.AllReaders()
	}
	show := func(ctx context.Context) error { return run(ctx, *out, *only, readers) }
	if *demo {
		show = func(ctx context.Context) error { return runDemo(ctx, *out) }
	}
	if err := show(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, only string, readers []browser.Reader) (err error) {
	theatre, err := pagetest.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theatre.Close()) }()
	chromium, err := browser.StartDrawing(ctx)
	if err != nil {
		return err
	}
	defer chromium.Close()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, scene := range theatre.Scenes {
		if !strings.Contains(scene.Name, only) {
			continue
		}
		for _, reader := range readers {
			if err := shoot(chromium, scene, filepath.Join(out, scene.Name+"-"+reader.String()+".png"), reader); err != nil {
				return err
			}
		}
	}
	return nil
}

// shoot writes a picture of a scene, and prints what is wrong with it.
func shoot(chromium *browser.Browser, scene pagetest.Scene, file string, reader browser.Reader) error {
	visit, err := chromium.Open(scene.URL, reader,
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: scene.Script})
	if err != nil {
		return err
	}
	defer visit.Close()
	picture, err := visit.Screenshot()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, problem := range visit.Problems(scene.Policy) {
		fmt.Printf("%s: %s\n", file, problem)
	}
	return os.WriteFile(file, picture, 0o644)
}
