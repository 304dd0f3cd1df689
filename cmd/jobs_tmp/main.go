package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/web/browser"
)

var out = "/tmp/jobs"

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Println("ERR", err)
		os.Exit(1)
	}
}

func signIn(url, as string) string {
	request, _ := http.NewRequest(http.MethodPost, url+"/demo/"+as, http.NoBody)
	request.Header.Set("Origin", url)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		panic(err)
	}
	for _, c := range response.Cookies() {
		if strings.Contains(c.Name, "session") && c.Value != "" {
			return c.Name + "=" + c.Value
		}
	}
	panic(fmt.Sprint("no session ", response.StatusCode))
}

type job struct {
	name   string
	v      *browser.Visit
	clicks int
	began  time.Time
}

func (j *job) do(a ...chromedp.Action[chromedp.Void]) {
	if err := j.v.Do(a...); err != nil {
		fmt.Println("  FAILED", j.name, err)
		p, _ := j.v.Screenshot()
		os.WriteFile(filepath.Join(out, "failed-"+j.name+".png"), p, 0o644)
		panic(j.name)
	}
}
func (j *job) click(sel string) { j.clicks++; j.do(chromedp.Click(sel)) }
func (j *job) see(sel string)   { j.do(chromedp.WaitVisible(sel)) }
func (j *job) js(e string) string {
	s, err := browser.Evaluate[string](j.v, `String(`+e+`)`)
	if err != nil {
		fmt.Println("  js", err)
	}
	return s
}
func (j *job) end(note string) {
	took := time.Since(j.began)
	p, _ := j.v.Screenshot()
	os.WriteFile(filepath.Join(out, j.name+".png"), p, 0o644)
	fmt.Printf("%-28s %2d clicks %6.2f s  %s\n", j.name, j.clicks, took.Seconds(), note)
	j.v.Close()
}

func run(ctx context.Context) error {
	os.MkdirAll(out, 0o755)
	data, _ := os.MkdirTemp("", "dropyard-demo-")
	defer os.RemoveAll(data)
	world := app.System()
	world.Out, world.Log = io.Discard, slog.New(slog.DiscardHandler)
	service, err := app.Start(ctx, &config.Config{Listen: "127.0.0.1:0", Data: data, Demo: true}, world)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	defer func() { stop(); <-ended }()
	chromium, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer chromium.Close()
	op, partner := signIn(service.URL(), "operator"), signIn(service.URL(), "partner")
	begin := func(name, path, cookie, shown string) *job {
		v, err := chromium.Open(service.URL()+path, browser.Reader{Language: "en", Width: 1280, Scripts: true},
			browser.Options{Now: time.Now(), Cookie: cookie, Shown: shown})
		if err != nil {
			panic(err)
		}
		return &job{name: name, v: v, began: time.Now()}
	}
	try := func(f func()) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Println("  gave up:", r)
			}
		}()
		f()
	}
	try(func() {
		j := begin("triage", "/console/board", op, ".connection.live")
		j.click(`.chip.danger`)
		j.click(`#orders .body .row:first-child .to`)
		j.see(".panel .trouble")
		j.end(j.js(`document.querySelector(".trouble").innerText.replaceAll("\n"," · ").slice(0,120)`))
	})
	try(func() {
		j := begin("accept-30", "/console/board", op, ".connection.live")
		j.click(`.chip:nth-of-type(2)`)
		n := j.js(`document.querySelector(".chip:nth-of-type(2) b").textContent`)
		j.click(`.head .pick input`)
		j.click(`.bulk .button:nth-of-type(1)`)
		j.see(".toast")
		j.end(n + " pending: " + j.js(`document.querySelector(".toast").innerText`))
	})
	try(func() {
		j := begin("four-areas-assigned", "/console/board?stage=accepted", op, ".connection.live")
		j.click(".of-places")
		j.see(".places-list .check")
		for i := 1; i <= 4; i++ {
			j.click(fmt.Sprintf(`.places-list fieldset:last-child .check:nth-of-type(%d)`, i))
		}
		j.click(".dialog .first")
		j.click(`.head .pick input`)
		j.click(`.bulk .button.first`)
		j.see("#courier-list li")
		j.click("#courier-list li")
		j.see(".toast")
		j.end(j.js(`document.querySelector(".toast").innerText`))
	})
	try(func() {
		l := begin("find-name", "/portal/orders?status=delivered", partner, "main")
		name := l.js(`[...document.querySelectorAll("main tbody tr")].map((r) => r.innerText)[0]`)
		number := l.js(`document.querySelector("main tbody tr a").innerText`)
		fmt.Println("   looked for:", name)
		l.v.Close()
		j := begin("callers-order", "/console/partners", op, "main")
		j.began = time.Now()
		j.do(chromedp.KeyEvent("/"))
		j.do(chromedp.KeyEvent(number + "\r"))
		j.see(".state .status")
		j.end("keys only: / number Enter: " + j.js(`document.querySelector("h1").innerText + " " + document.querySelector(".state .status").innerText`))
	})
	try(func() {
		j := begin("pick-list", "/console/picks?until=all", op, "main")
		n := j.js(`document.querySelectorAll("[name=order_id]").length`)
		j.click(`button[formaction="/console/picks/list"]`)
		j.see("main h1")
		j.end(n + " orders: " + j.js(`document.querySelector("h1").innerText`))
	})
	try(func() {
		j := begin("who-cancelled", "/console/audit", op, "main")
		j.do(chromedp.SendKeys(`main [name=object_id]`, "ÉPI-1\r"))
		j.see("main")
		time.Sleep(500 * time.Millisecond)
		j.end(j.js(`document.querySelector("main").innerText.slice(0,200).replaceAll("\n"," · ")`))
	})
	try(func() {
		j := begin("new-card", "/console/rate-cards", op, "main")
		j.click(`a[href^="/console/rate-cards/new"]`)
		j.see("main form")
		j.end(j.js(`document.querySelector("h1").innerText`))
	})
	try(func() {
		head := "Name,Email,Currency,Lineitem quantity,Lineitem name,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone\n"
		var b strings.Builder
		b.WriteString(head)
		for i := range 20 {
			zip, phone, name := "'H2W 1A1", "5145550"+fmt.Sprint(100+i), fmt.Sprintf("Zoé %d Tremblay", i)
			switch i {
			case 3:
				zip = "H2W"
			case 9:
				phone = "12"
			case 15:
				name = ""
			}
			fmt.Fprintf(&b, "#%d,z%d@example.org,CAD,1,Mug,%s,%d Rue Rachel,Montréal,%s,QC,CA,%s\n", 3001+i, i, name, 10+i, zip, phone)
		}
		file := filepath.Join(out, "shopify.csv")
		os.WriteFile(file, []byte(b.String()), 0o644)
		j := begin("import-shopify", "/portal/orders/import", partner, "#field-file")
		j.clicks++
		j.do(chromedp.SetUploadFiles("#field-file", []string{file}))
		j.click("main form .button.first")
		j.see("main h2")
		p, _ := j.v.Screenshot()
		os.WriteFile(filepath.Join(out, "import-1.png"), p, 0o644)
		j.end(j.js(`document.querySelector("main").innerText.slice(0,600).replaceAll("\n"," · ")`))
	})
	return nil
}
