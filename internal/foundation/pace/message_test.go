package pace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	for _, message := range []string{"first", "", "third"} {
		if err := write(&pipe, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"first", "", "third"} {
		if got, err := read(&pipe); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := read(&pipe); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: got %v, want %v", err, io.EOF)
	}
}

func TestReadRefusesDamage(t *testing.T) {
	t.Parallel()
	for _, damaged := range []string{"\xff\xff\xff\xff", "\x00", "\x00\x00\x00\x05abc"} {
		if got, err := read(strings.NewReader(damaged)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%q: got %q, %v, want an error that is not the end", damaged, got, err)
		}
	}
}
