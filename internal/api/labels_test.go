package api

import "testing"

func TestLabelFormatFollowsAccept(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"":                                  formatPDF,
		"*/*":                               formatPDF,
		"application/*":                     formatPDF,
		"text/html":                         formatPDF,
		"application/zpl":                   formatZPL,
		"X-Application/ZPL":                 formatZPL,
		"application/zpl, */*;q=0.8":        formatZPL,
		"application/zpl;q=0":               formatPDF,
		"application/zpl;q=high":            formatPDF,
		"application/pdf, application/zpl":  formatPDF,
		"application/zpl, application/pdf":  formatZPL,
		";;, application/zpl;charset=utf-8": formatZPL,
		"application/zpl;q=0.5,application/pdf;q=0.9": formatPDF,
		"application/pdf;q=0.5,application/zpl;q=0.9": formatZPL,
	} {
		if got := labelFormat([]string{accept}); got != want {
			t.Errorf("Accept %q: got %s, want %s", accept, got, want)
		}
	}
	if got := labelFormat([]string{"text/html", formatZPL}); got != formatZPL {
		t.Errorf("ZPL in a second Accept header: got %s, want %s", got, formatZPL)
	}
}
