package console_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestBoardHasFirstRows checks that the document of the board has rows, as the snapshot
// has them, and how many orders there are if a desk has been told: they are shown before
// it has been read.
func TestBoardHasFirstRows(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin, metro := s.Operate(t), s.Register(t, "metro")
	v := admin.Visit(t)
	v.Open(t, "/console/board").Shows(t, http.StatusOK, `id="first-rows">[]</script>`, `data-counts=""`)
	order := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated).Text("order_id")
	v.Open(t, "/console/board").Shows(t, http.StatusOK, fmt.Sprintf(`id="first-rows">[{"order_id":%q,`, order),
		`"partner_order_id":"A-1","status":"pending","version":1,`)
	admin.Call(t, http.MethodGet, "/ops/v1/orders/snapshot", nil).Must(t, http.StatusOK)
	v.Open(t, "/console/board").Shows(t, http.StatusOK, `data-counts="{&#34;open&#34;:1,`, `&#34;late&#34;:0,`,
		`&#34;pending&#34;:1,`)

	const row = `<span class="what"><span class="mono">A-1</span>`
	v.Open(t, "/console/board").Shows(t, http.StatusOK, row, `<template id="after-paint">`)
	if narrowed := v.Open(t, "/console/board?stage=failed"); bytes.Contains(narrowed.Body, []byte(row)) ||
		bytes.Contains(narrowed.Body, []byte(`id="after-paint"`)) {
		t.Errorf("got\n%s\nwant no rows before the modules, which know the filter", narrowed.Body)
	}
}
