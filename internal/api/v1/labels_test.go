package v1

import (
	"testing"

	"github.com/dropyard/dropyard/internal/label"
)

func TestLabelFormatFollowsAccept(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]label.Format{
		"":                                  label.FormatPDF,
		"*/*":                               label.FormatPDF,
		"application/*":                     label.FormatPDF,
		"text/html":                         label.FormatPDF,
		"application/zpl":                   label.FormatZPL,
		"X-Application/ZPL":                 label.FormatZPL,
		"application/zpl, */*;q=0.8":        label.FormatZPL,
		"application/zpl;q=0":               label.FormatPDF,
		"application/zpl;q=high":            label.FormatPDF,
		"application/pdf, application/zpl":  label.FormatPDF,
		"application/zpl, application/pdf":  label.FormatZPL,
		";;, application/zpl;charset=utf-8": label.FormatZPL,
		"application/zpl;q=0.5,application/pdf;q=0.9": label.FormatPDF,
		"application/pdf;q=0.5,application/zpl;q=0.9": label.FormatZPL,
	} {
		if got := labelFormat([]string{accept}); got != want {
			t.Errorf("Accept %q: got %s, want %s", accept, got, want)
		}
	}
	if got := labelFormat([]string{"text/html", string(label.FormatZPL)}); got != label.FormatZPL {
		t.Errorf("ZPL in a second Accept header: got %s, want %s", got, label.FormatZPL)
	}
}
