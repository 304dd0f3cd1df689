package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hostile runs a command as a partner, against a server that answers with the handler.
func hostile(t *testing.T, handler http.HandlerFunc, args ...string) result {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	from := run{env: []string{"DROPYARD_URL=" + server.URL, "DROPYARD_KEY=pk_test", "DROPYARD_SECRET=" + secretKey}}
	return from.do(t, args...)
}

// answers returns a handler that always gives the same answer.
func answers(status int, header http.Header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestForeignAnswers expects a clear line and the documented exit code if something other
// than the service answers, and that no secret is printed.
func TestForeignAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		command string
		code    int
		want    string
	}{
		"page of a proxy": {answers(http.StatusOK, http.Header{"Content-Type": {"text/html"}},
			"<html>sign in</html>"), "orders list", exitNoAnswer, "not that of the service"},
		"other JSON": {answers(http.StatusOK, nil,
			`{"orders":"none"}`), "orders list", exitNoAnswer, "not that of the service"},
		"list in JSON": {answers(http.StatusOK, nil,
			`{}`), "orders list --json", exitNoAnswer, "not from a dropyard service"},
		"cut off": {answers(http.StatusOK, http.Header{"Content-Length": {"1000"}},
			`{"orders":[`), "orders create --set service_level=standard", exitNoAnswer, "not that of the service"},
		"endless list": {answers(http.StatusOK, nil,
			`{"orders":[{"order_id":"a"}],"next_cursor":"again"}`), "orders list --all", exitNoAnswer, "a cursor is repeated"},
		"endless log": {answers(http.StatusOK, nil,
			`{"logs":[],"next_cursor":"again"}`), "logs tail", exitNoAnswer, "a cursor is repeated"},
		"redirect": {answers(http.StatusFound, http.Header{"Location": {"http://127.0.0.1:1/"}},
			""), "orders list", exitRefused, "redirect, which is not followed"},
		"control sequence": {
			answers(http.StatusBadRequest, nil, `{"error":{"code":"validation_error","message":"a\u001b[2J\u009b2J\u202eb"}}`),
			"orders list", exitRefused, "a\ufffd[2J\ufffd2J\ufffdb",
		},
		"long message": {answers(http.StatusBadRequest, nil, `{"error":{"code":"validation_error","message":"`+
			strings.Repeat("x", 1<<20)+`"}}`), "orders list", exitRefused, "xxx …"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := hostile(t, test.handler, strings.Fields(test.command)...)
			message := got.stderr[strings.LastIndex(strings.TrimSuffix(got.stderr, "\n"), "\n")+1:] // after notices
			if got.code != test.code || !strings.Contains(message, test.want) || len(message) > 5000 {
				t.Errorf("%s: got exit code %d, %.300q, want %d, %q", test.command, got.code, got.stderr, test.code, test.want)
			}
			if strings.Contains(got.stdout+got.stderr, secretKey) {
				t.Error("got the secret key in the output")
			}
		})
	}
}

// TestHostileText expects no control characters of a service in what is printed for people.
func TestHostileText(t *testing.T) {
	t.Parallel()
	const evil = `\u001b]0;title\u0007\u009b2J\u202e\r`
	answer := `{"orders":[{"order_id":"` + evil + `","status":"` + evil + `","partner_order_id":"` + evil +
		`"}],"error":{"message":"` + evil + `"},` +
		`"logs":[{"path":"` + evil + `","request_id":"` + evil + `","code":"` + evil + `"}],` +
		`"order_id":"` + evil + `","status":"` + evil + `","tracking_url":"` + evil + `","partner":{"name":"` + evil +
		`"}}`
	for _, command := range []string{
		"orders list", "orders get a", "logs list", "track a", "orders get a --json", "orders cancel a",
		"trigger order.delivered", "quote --from=Montréal,QC~H2W2M5 --to=Toronto,ON~M5H2N2",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			for _, status := range []int{http.StatusOK, http.StatusUnprocessableEntity} {
				got := hostile(t, answers(status, nil, answer), strings.Fields(command)...)
				if printed := got.stdout + got.stderr; printed == "" || strings.ContainsAny(printed, "\x1b\x07\u009b\u202e\r") {
					t.Errorf("%s, status %d: got %q, want text without control characters", command, status, printed)
				}
			}
		})
	}
}

// TestHostileJSON expects JSON that means the same, and in it and in headers no characters
// that steer a terminal.
func TestHostileJSON(t *testing.T) {
	t.Parallel()
	const body = "{\"order_id\":\r\"a\u009b2J\u202eb\x7f\",\"status\":\"pending\"}"
	for _, command := range []string{"call GET /v1/orders/a", "call GET /v1/orders/a --include", "orders get a --json"} {
		got := hostile(t, answers(http.StatusOK, http.Header{"X-Note": {"c\u009b2J\u202ed"}}, body),
			strings.Fields(command)...)
		if got.code != 0 || strings.ContainsAny(got.stdout+got.stderr, "\x7f\u009b\u202e\r") {
			t.Errorf("%s: got %+v, want text without control characters", command, got)
		}
		_, printed, _ := strings.Cut(got.stdout, "{")
		var order struct {
			OrderID string `json:"order_id"`
		}
		if err := json.Unmarshal([]byte("{"+printed), &order); err != nil || order.OrderID != "a\u009b2J\u202eb\x7f" {
			t.Errorf("%s: got %q, error %v, want the JSON that the service sent", command, printed, err)
		}
	}
}

// TestOutputIsCleaned reads the commands: what they print goes through functions that clean
// it, except in the files that are listed.
func TestOutputIsCleaned(t *testing.T) {
	t.Parallel()
	prints := map[string]bool{
		"output.go": true, "call.go": true, // they clean it
		"board.go":       true, // a page made with an output
		"completion.go":  true, // scripts and the manual, which have no text of others
		"order_label.go": true, // a file, which it refuses to print on a terminal
		"serve.go":       true, // to the service

		"books_statements.go": true, // likewise a file
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 40 {
		t.Fatalf("got %d files, error %v, want the commands", len(files), err)
	}
	raw := regexp.MustCompile(`fmt\.(Print|Fprint)|[^(]\bos\.Stdout\.|NewEncoder\(os\.Std|, os\.Stdout\)`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := raw.Find(source); found != nil && !prints[file] && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s: got %q, want printf, tell or an output, which clean what others wrote", file, found)
		}
	}
}
