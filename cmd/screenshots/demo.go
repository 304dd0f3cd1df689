package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// sight is a page of the demo of which the README shows a picture.
type sight struct {
	name, path string // in the path, ORDER stands for an order that is on its way
	as         string // who is signed in: operator, partner, or empty for a recipient
	shown      string // a selector for what the page shows when it is ready
	width      int
}

var sights = []sight{
	{"demo-board", "/console/board?order=ORDER", "operator", ".panel h2", 1280},
	{"demo-portal", "/portal", "partner", ".figure", 1280},
	{"demo-track", "/track/ORDER/html", "", "main", 360},
}

// runDemo starts a demo of its own and writes the pictures of the README.
func runDemo(ctx context.Context, out string) (err error) {
	data, err := os.MkdirTemp("", "dropyard-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	world := app.System()
	world.Out, world.Log = io.Discard, slog.New(slog.DiscardHandler)
	service, err := app.Start(ctx, &config.Config{Listen: "127.0.0.1:0", Data: data, Demo: true, BackupKeep: 7}, world)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	chromium, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer chromium.Close()
	orderID, err := onItsWay(service.URL())
	if err != nil {
		return err
	}
	for _, s := range sights {
		cookie, err := signIn(service.URL(), s.as)
		if err != nil {
			return err
		}
		visit, err := chromium.Open(service.URL()+strings.ReplaceAll(s.path, "ORDER", orderID),
			browser.Reader{Language: "en", Width: s.width, Scripts: true},
			browser.Options{Now: time.Now(), Cookie: cookie, Shown: s.shown})
		if err != nil {
			return err
		}
		picture, err := visit.Screenshot()
		visit.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(out, s.name+".png"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}

var tracked = regexp.MustCompile(`/track/(ord_[0-9a-z]+)/html`)

// onItsWay returns the order that the first page of the demo leads to.
func onItsWay(url string) (orderID string, err error) {
	response, err := http.Get(url + "/") //nolint:noctx,gosec // of this process
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	found := tracked.FindSubmatch(body)
	if err == nil && found == nil {
		err = errors.New("no order of the demo is on its way")
	}
	if err != nil {
		return "", err
	}
	return string(found[1]), nil
}

// signIn returns the cookie of a session of the demo's operator or partner.
func signIn(url, as string) (cookie string, err error) {
	if as == "" {
		return "", nil
	}
	request, err := http.NewRequest(http.MethodPost, url+"/demo/"+as, http.NoBody) //nolint:noctx // of this process
	if err != nil {
		return "", err
	}
	request.Header.Set("Origin", url)
	response, err := http.DefaultTransport.RoundTrip(request) // which follows no redirect
	if err != nil {
		return "", err
	}
	for _, c := range response.Cookies() {
		if strings.Contains(c.Name, "session") && c.Value != "" {
			cookie = c.Name + "=" + c.Value
		}
	}
	if cookie == "" {
		err = fmt.Errorf("sign in as the %s: got status %d and no session", as, response.StatusCode)
	}
	return cookie, errors.Join(err, response.Body.Close())
}
