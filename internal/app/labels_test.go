package app_test

import (
	"bytes"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLabelWindowIsLocal: the window on a label is in the time zone of the recipient,
// not in that of the sender.
func TestLabelWindowIsLocal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	for province, want := range map[string]string{
		"ON": "2026-01-15 09:00 – 17:00 EST", "NL": "2026-01-15 10:30 – 18:30 NST", "BC": "2026-01-15 06:00 – 14:00 PST",
	} {
		body := bytes.Replace(testkit.OrderJSON("A-"+province, ""), []byte(`"province":"ON"`),
			[]byte(`"province":"`+province+`"`), 1)
		id := p.Create(t, body).Must(t, 201).Text("order_id")
		label := p.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", "application/zpl").Must(t, 200)
		if !bytes.Contains(label.Body, []byte("^FD"+want+"^FS")) {
			t.Errorf("%s: got %s, want %q in it", province, label.Body, want)
		}
	}
}
