package basemap

import (
	"testing"

	"github.com/dropyard/dropyard/internal/route"
)

// BenchmarkDraw draws pictures that are not kept: of two cities in one region, and at both ends of the country.
func BenchmarkDraw(b *testing.B) {
	for name, ends := range map[string][2]string{"near": {"H2Z", "M5H"}, "far": {"V6B", "B3J"}} {
		b.Run(name, func(b *testing.B) {
			from, _ := route.Centroid(ends[0])
			to, _ := route.Centroid(ends[1])
			projected()
			b.ReportAllocs()
			for b.Loop() {
				draw(from, to)
			}
		})
	}
}
