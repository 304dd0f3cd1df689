package pace_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// asWorker is the argument with which the test binary runs as a worker.
const asWorker = "run-as-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asWorker {
		if err := pace.ServeWorker(os.Stdin, os.Stdout, handle); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// handle answers with the text in capitals, with the process's id or niceness, with
// what came of starting another worker, or not at all.
func handle(request []byte) []byte {
	switch string(request) {
	case "pid":
		return []byte(strconv.Itoa(os.Getpid()))
	case "nice":
		stat, _ := os.ReadFile("/proc/self/stat")
		return []byte(strings.Fields(string(stat))[18])
	case "die":
		os.Exit(3)
	case "another":
		_, err := pace.NewWorker(slog.New(slog.DiscardHandler), asWorker).Do([]byte("pid"))
		return fmt.Append(nil, err)
	}
	return bytes.ToUpper(request)
}

func do(t *testing.T, w *pace.Worker, request string) string {
	t.Helper()
	answer, err := w.Do([]byte(request))
	if err != nil {
		t.Fatalf("%s: got %v, want an answer", request, err)
	}
	return string(answer)
}

func TestWorkerIsOneOtherProcess(t *testing.T) {
	t.Parallel()
	w := pace.NewWorker(slog.New(slog.DiscardHandler), asWorker)
	pid := do(t, w, "pid")
	if pid == strconv.Itoa(os.Getpid()) {
		t.Errorf("got process %s, which is this one", pid)
	}
	var callers sync.WaitGroup
	for i := range 20 {
		callers.Go(func() {
			request := fmt.Sprint("request ", i)
			if answer, err := w.Do([]byte(request)); err != nil || string(answer) != strings.ToUpper(request) {
				t.Errorf("got %q, %v, want %q", answer, err, strings.ToUpper(request))
			}
		})
	}
	callers.Wait()
	if again := do(t, w, "pid"); again != pid {
		t.Errorf("got process %s, want %s still", again, pid)
	}
}

func TestWorkerHasLowPriority(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system does not show a process's priority in /proc")
	}
	if got := do(t, pace.NewWorker(slog.New(slog.DiscardHandler), asWorker), "nice"); got != "10" {
		t.Errorf("got a niceness of %s, want 10", got)
	}
}

func TestWorkerStartsAgain(t *testing.T) {
	t.Parallel()
	w := pace.NewWorker(slog.New(slog.DiscardHandler), asWorker)
	before := do(t, w, "pid")
	if answer, err := w.Do([]byte("die")); err == nil {
		t.Errorf("got %q of a process that died, want an error", answer)
	}
	if after := do(t, w, "pid"); after == before {
		t.Errorf("got process %s, want another one than %s", after, before)
	}
}

// TestWorkerStartsNoOther keeps a program that does not understand its arguments from
// starting itself without end.
func TestWorkerStartsNoOther(t *testing.T) {
	t.Parallel()
	want := "start a worker: this process is a worker itself"
	if got := do(t, pace.NewWorker(slog.New(slog.DiscardHandler), asWorker), "another"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
