package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// bookCount books the differences of a count, unless the levels have changed since they
// were shown: then it shows them again.
func (pages *Pages) bookCount(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	v, err := s.countView(sent.Values.Get("location"))
	if err != nil {
		return 0, nil, err
	}
	if err := v.read(sent); err != nil {
		return 0, nil, err
	}
	v.sheet = s.on(v.Path("/count"))
	ok, err := v.check()
	if err != nil {
		return 0, nil, err
	}
	if v.Location == "" || !ok {
		return v.show(http.StatusUnprocessableEntity)
	}
	if v.version() != sent.Version {
		return v.showStale()
	}
	done, err := v.book(sent)
	if errors.Is(err, form.ErrStale) {
		if err := v.find(); err != nil {
			return 0, nil, err
		}
		switch ok, err := v.check(); {
		case err != nil:
			return 0, nil, err
		case !ok:
			return v.show(http.StatusUnprocessableEntity)
		}
		return v.showStale()
	}
	if err != nil {
		if !sent.Refuse(err, s.Language) {
			return 0, nil, err
		}
		v.Problem = &page.Message{Text: sent.Faults[0].Text, Danger: true}
		return v.showReview(http.StatusUnprocessableEntity)
	}
	return s.LeadTo(v.Link(v.Path("/count"), "booked", v.Location), v.message(done))
}

// showStale shows the differences from the levels of now, for levels that have changed since
// they were shown.
func (v *countView) showStale() (int, []byte, error) {
	v.Problem = &page.Message{Text: v.Text("warehouse.count.stale"), Danger: true}
	return v.showReview(http.StatusConflict)
}

// book books the lines once under the key of the form, unless other levels are expected. What is promised to
// orders was taken out of stock already: the levels are what is left without it.
func (v *countView) book(sent *page.Form) (done stock.Count, err error) {
	sent.Values.Set("location", v.Location)
	for i, line := range v.Lines {
		sent.Values.Set(fmt.Sprintf("lines[%d].product_id", i), strconv.FormatInt(line.Product.ProductID, 10))
		sent.Values.Set(fmt.Sprintf("lines[%d].counted", i), strconv.FormatInt(line.free(), 10))
	}
	// The result is all that is needed of the answer: the key has been claimed for this form, so
	// that it is not answered from an earlier one.
	request := once(v.storeroom, sent, sent.Values.Encode(), func(result stock.Count) ([]byte, error) {
		done = result
		return strictjson.Marshal(len(done.Lines))
	})
	tally, _ := form.Decode(sent.Typed(nil), stock.ReadTally) // keeps its faults
	expected := func(levels map[int64]int64) bool {
		return !slices.ContainsFunc(v.Lines, func(l countLine) bool { return levels[l.Product.ProductID] != l.Level })
	}
	_, err = v.pages.config.Stock.CountFrom(v.Context(), request, expected, tally)
	return done, err
}

// message says what a count has booked.
func (v *countView) message(done stock.Count) page.Flash {
	booked, refused := 0, 0
	for _, line := range done.Lines {
		if line.MovementID != 0 {
			booked++
		}
		if line.Refusal != nil {
			refused++
		}
	}
	flash := page.Flash{Key: "warehouse.count.booked", Arguments: []string{
		"location", v.Location, "booked", v.Language.Number(booked), "agreed", v.Language.Number(len(done.Lines) - booked -
			refused),
	}}
	if refused > 0 {
		flash = page.Flash{Key: "warehouse.count.refused", Danger: true, Arguments: append(flash.Arguments, "refused",
			v.Language.Number(refused))}
	}
	return flash
}
