package api

import "testing"

func TestLabelForm(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"":                                  formPDF,
		"*/*":                               formPDF,
		"application/*":                     formPDF,
		"text/html":                         formPDF,
		"application/zpl":                   formZPL,
		"X-Application/ZPL":                 formZPL,
		"application/zpl, */*;q=0.8":        formZPL,
		"application/zpl;q=0":               formPDF,
		"application/zpl;q=high":            formPDF,
		"application/pdf, application/zpl":  formPDF,
		"application/zpl, application/pdf":  formZPL,
		";;, application/zpl;charset=utf-8": formZPL,
		"application/zpl;q=0.5,application/pdf;q=0.9": formPDF,
		"application/pdf;q=0.5,application/zpl;q=0.9": formZPL,
	} {
		if got := labelForm([]string{accept}); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
	if got := labelForm([]string{"text/html", formZPL}); got != formZPL {
		t.Errorf("in a second header: %s", got)
	}
}
