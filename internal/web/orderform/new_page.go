package orderform

import (
	"net/http"
	"net/url"

	"github.com/dropyard/dropyard/internal/web/page"
)

// NewPage is the page with the form for a new order, in the portal or the console.
type NewPage interface {
	// These are the methods of New.
	Open(query url.Values) error
	Read(sent *page.Form) error
	Price(posted url.Values) error
	Save(key [16]byte) (orderID string, err error)
	Refused(err error) (status int, _ error)
	// Show shows the page.
	Show(status int) (int, []byte, error)
	// Created leads to the order that was created.
	Created(orderID string) (int, []byte, error)
}

// OpenNew shows the page as the parameters of the address fill it in. Here and in what follows, fresh returns the page
// with an empty form that has a key.
func OpenNew[P NewPage](s page.Sheet, fresh func(key string) (P, error)) (int, []byte, error) {
	made, err := s.Site.NewForm(s.Request.URL.Path, 0)
	if err != nil {
		return 0, nil, err
	}
	shown, err := fresh(made.Key)
	if err != nil {
		return 0, nil, err
	}
	if err := shown.Open(s.Request.URL.Query()); err != nil {
		return 0, nil, err
	}
	return shown.Show(http.StatusOK)
}

// PriceNew shows the page of a form that was sent with its price, after what a button says was done.
func PriceNew[P NewPage](s page.Sheet, fresh func(key string) (P, error)) (int, []byte, error) {
	shown, err := readNew(s, fresh)
	if err != nil {
		return 0, nil, err
	}
	if err := shown.Price(s.Request.PostForm); err != nil {
		return 0, nil, err
	}
	return shown.Show(http.StatusOK)
}

// CreateNew creates the order of a form that was sent, if its price is the one that the page has shown, or shows why it
// did not.
func CreateNew[P NewPage](s page.Sheet, fresh func(key string) (P, error)) (int, []byte, error) {
	shown, err := readNew(s, fresh)
	if err != nil {
		return 0, nil, err
	}
	key, err := s.Key()
	if err != nil {
		return 0, nil, err
	}
	orderID, err := shown.Save(key)
	if err == nil {
		return shown.Created(orderID)
	}
	status, err := shown.Refused(err)
	if err != nil {
		return 0, nil, err
	}
	return shown.Show(status)
}

// readNew returns the page with what was typed.
func readNew[P NewPage](s page.Sheet, fresh func(key string) (P, error)) (P, error) {
	var none P
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return none, err
	}
	shown, err := fresh(sent.Key)
	if err != nil {
		return none, err
	}
	return shown, shown.Read(sent)
}
