package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/config"
)

func TestDoctorAsksBuckets(t *testing.T) {
	t.Parallel()
	var methods []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods = append(methods, r.Method)
		status, code := http.StatusNotFound, "NoSuchKey"
		switch {
		case strings.HasPrefix(r.URL.Path, "/absent/"):
			code = "NoSuchBucket"
		case strings.Contains(r.Header.Get("Authorization"), "Credential=MISTYPED/"):
			status, code = http.StatusForbidden, "InvalidAccessKeyId"
		case strings.HasPrefix(r.URL.Path, "/unlisted/"):
			status, code = http.StatusForbidden, "AccessDenied"
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code></Error>")
	}))
	defer server.Close()
	at := func(key, bucket string) string {
		return "s3://" + key + ":verysecretkey@" + strings.TrimPrefix(server.URL, "http://") + "/" + bucket + "?tls=off"
	}
	for _, c := range []struct {
		settings    config.Config
		fault, note string
	}{
		{config.Config{Data: "d", Proofs: at("KEY", "yard")}, "", "the bucket of --proofs answers, and knows the key"},
		{config.Config{Data: "d", Backups: at("KEY", "absent")}, "the bucket of --backups refuses the service", ""},
		{
			config.Config{Data: "d", Backups: "s3://KEY:verysecretkey@127.0.0.1:1/yard?tls=off"},
			"(http): the storage cannot be reached", "",
		},
		{config.Config{Data: "d", ExportTo: at("MISTYPED", "yard")}, "InvalidAccessKeyId", ""},
		{config.Config{Data: "d", ExportTo: at("KEY", "unlisted")}, "", "whether it may read was not tried"},
		{config.Config{Data: "d", Proofs: "pictures", Backups: "backups", ExportTo: "exports"}, "", ""},
		{config.Config{Data: "d", Proofs: at("KEY", "yard"), ExportTo: at("KEY", "yard")}, "", "the bucket of --proofs"},
	} {
		d := &Diagnosis{}
		d.checkBuckets(t.Context(), &c.settings)
		faults, notes := strings.Join(d.Findings, "\n"), strings.Join(d.Notes, "\n")
		if (c.fault == "") != (faults == "") || !strings.Contains(faults, c.fault) ||
			(c.note == "") != (notes == "") || !strings.Contains(notes, c.note) ||
			strings.Contains(faults+notes, "verysecretkey") || len(d.Findings)+len(d.Notes) > 1 {
			t.Errorf("%s%s%s: got the findings %q and the notes %q, want %q and %q", c.settings.Proofs, c.settings.Backups,
				c.settings.ExportTo, faults, notes, c.fault, c.note)
		}
	}
	for _, method := range methods {
		if method != http.MethodGet {
			t.Errorf("got %s, want no bucket to be changed", method)
		}
	}
}
