package track

import (
	"fmt"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/route"
	"github.com/dropyard/dropyard/internal/web/basemap"
)

// mapView is the picture of the way of an order. It shows the cities that the page names and nothing nearer:
// where in a city an address is does not matter to it.
type mapView struct {
	Picture       *basemap.Picture
	Width, Height int
	From, To      namedSpot
	SameCity      bool          // from and to the same city
	Parcel        *basemap.Spot // where the parcels are, roughly; nil for an order that was cancelled
}

// namedSpot is a city with its name above or below it.
type namedSpot struct {
	basemap.Spot
	Name   string
	NameY  int
	Anchor string
}

// mapOf returns the picture of an order; nil if one of its cities is not known.
func mapOf(o *delivery.Tracked) *mapView {
	from, known := route.City(o.Origin.Province, o.Origin.City)
	to, alsoKnown := route.City(o.Destination.Province, o.Destination.City)
	if !known || !alsoKnown {
		return nil
	}
	picture := basemap.Between(from, to)
	v := &mapView{
		Picture: picture, Width: basemap.Width, Height: basemap.Height, SameCity: from == to,
		From: named(picture.From, o.Origin.City, picture.From.Y <= picture.To.Y),
		To:   named(picture.To, o.Destination.City, picture.From.Y > picture.To.Y),
	}
	if o.Status != delivery.StatusCancelled {
		// Halfway stands for everything between: where a courier is, is not shown.
		halves := [len(stepNames)]int{0, 0, 1, 1, 2}[reachedBy(o)]
		v.Parcel = &basemap.Spot{
			X: picture.From.X + (picture.To.X-picture.From.X)*halves/2,
			Y: picture.From.Y + (picture.To.Y-picture.From.Y)*halves/2,
		}
	}
	return v
}

// named returns a spot with its name, which goes on towards the middle of the picture.
func named(spot basemap.Spot, name string, above bool) namedSpot {
	const overDot, underDot, third = -26, 44, basemap.Width / 3
	n := namedSpot{Spot: spot, Name: name, NameY: spot.Y + underDot, Anchor: "middle"}
	if above {
		n.NameY = spot.Y + overDot
	}
	if spot.X < third {
		n.Anchor = "start"
	} else if spot.X > basemap.Width-third {
		n.Anchor = "end"
	}
	return n
}

// Way is the way between the cities, as data of a path.
func (v *mapView) Way() string { return line(v.From.Spot, v.To.Spot) }

// Gone is the part of the way that lies behind the parcels; empty if there is none.
func (v *mapView) Gone() string {
	if v.Parcel == nil || *v.Parcel == v.From.Spot {
		return ""
	}
	return line(v.From.Spot, *v.Parcel)
}

func line(a, b basemap.Spot) string { return fmt.Sprintf("M%d %dL%d %d", a.X, a.Y, b.X, b.Y) }
