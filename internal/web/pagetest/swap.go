package pagetest

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// swapping is a page of which a part is replaced by links and by a form.
type swapping struct {
	site      *page.Site
	templates page.Templates

	mu   sync.Mutex
	sent map[string]bool // the keys of the forms that were sent
}

func newSwapping(site *page.Site) *swapping {
	return &swapping{site: site, templates: site.Templates(files, "templates/swap.html"), sent: map[string]bool{}}
}

func (s *swapping) routes() []web.Route {
	return []web.Route{
		{Method: http.MethodGet, Pattern: "/swap", Serve: s.show},
		{Method: http.MethodPost, Pattern: "/swap", Serve: s.send},
	}
}

func (s *swapping) show(v *web.PageRequest) (int, []byte, error) {
	form, err := s.site.NewForm("/swap", 0)
	if err != nil {
		return 0, nil, err
	}
	number, _ := strconv.Atoi(v.Request.URL.Query().Get("page"))
	number = max(number, 1)
	view := struct {
		Form  *page.Form
		Shows string
		Next  int
	}{form, "page " + strconv.Itoa(number), number + 1}
	if sent := v.Request.URL.Query().Get("sent"); sent != "" {
		view.Shows = "sent " + sent
	}
	body, err := s.templates.Render(v.Header,
		page.Document{Language: page.English, Template: "swap", Title: view.Shows, Data: view})
	return http.StatusOK, body, err
}

// send counts forms, each once.
func (s *swapping) send(v *web.PageRequest) (int, []byte, error) {
	form, err := page.ReadForm(v)
	if err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	s.sent[form.Key] = true
	count := len(s.sent)
	s.mu.Unlock()
	v.Header.Set("Location", "/swap?sent="+strconv.Itoa(count))
	return http.StatusSeeOther, nil, nil
}
