package label_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/label"
)

func BenchmarkPDF(b *testing.B) {
	o := usual()
	for b.Loop() {
		if _, err := label.PDF(o, label.Coarsest, clock); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPDFOfFifty(b *testing.B) {
	o := extreme()
	for b.Loop() {
		if _, err := label.PDF(o, label.Coarsest, clock); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPDFOfForeignLetters(b *testing.B) {
	o := foreign()
	for b.Loop() {
		if _, err := label.PDF(o, label.Coarsest, clock); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkZPL(b *testing.B) {
	o := usual()
	for b.Loop() {
		label.ZPL(o, label.Coarsest, clock)
	}
}

func BenchmarkWarnings(b *testing.B) {
	o := usual()
	b.ReportAllocs()
	for b.Loop() {
		label.Warnings(o)
	}
}
