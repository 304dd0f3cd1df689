package demo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/zone"
)

// zones returns the time zones of Places.
var zones = sync.OnceValue(func() (found []*time.Location) {
	for _, place := range Places {
		found = append(found, zone.Own().Location(place.Zone))
	}
	return found
})

type contact struct {
	Name    string  `json:"name"`
	Phone   string  `json:"phone"`
	Email   string  `json:"email"`
	Address address `json:"address"`
	Window  window  `json:"time_window"`
}

type address struct {
	Line1    string `json:"line1"`
	Line2    string `json:"line2,omitempty"`
	City     string `json:"city"`
	Province string `json:"province"`
	Postal   string `json:"postal_code"`
	Country  string `json:"country"`
	Notes    string `json:"notes,omitempty"`
}

type window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

type parcel struct {
	ParcelID    string  `json:"parcel_id"`
	Description string  `json:"description"`
	Length      int     `json:"length_cm"`
	Width       int     `json:"width_cm"`
	Height      int     `json:"height_cm"`
	Weight      float64 `json:"weight_kg"`
	Value       int     `json:"value_cents"`
}

type item struct {
	ProductID int `json:"product_id"`
	Quantity  int `json:"quantity"`
}

type request struct {
	PartnerOrderID string                `json:"partner_order_id"`
	Level          delivery.ServiceLevel `json:"service_level"`
	Pickup         contact               `json:"pickup"`
	Dropoff        contact               `json:"dropoff"`
	Parcels        []parcel              `json:"parcels"`
	Items          []item                `json:"items,omitempty"`
	COD            *amount               `json:"cod,omitempty"`
}

type amount struct {
	Cents    int64             `json:"amount_cents"`
	Currency delivery.Currency `json:"currency"`
}

// request returns the order as the shop's program sends it.
func (o *Order) request(random *rand.Rand, ends outcome) []byte {
	shop := &Shops[o.Shop]
	pickup, dropoff := o.windows(ends)
	wanted := request{
		PartnerOrderID: o.PartnerOrderID, Level: delivery.SameDay,
		Pickup: contact{
			Name: shop.Name, Phone: Places[shop.Place].phone + "0100", Email: shop.Email, Window: pickup,
			Address: shop.address(),
		},
		Dropoff: recipient(random, shop.Place),
	}
	wanted.Dropoff.Window = dropoff
	if ends == tomorrow || random.IntN(3) == 0 {
		wanted.Level = delivery.Express
	}
	wanted.Parcels, wanted.Items = shop.contents(random, o.Number)
	if o.Cash > 0 {
		wanted.COD = &amount{o.Cash, delivery.CAD}
	}
	body, err := json.Marshal(wanted)
	if err != nil {
		panic("demo: " + err.Error()) // all of it can be encoded
	}
	return body
}

// windows returns when an order is picked up and delivered: within hours, or on the next day.
func (o *Order) windows(ends outcome) (pickup, dropoff window) {
	const quarter = 15 * time.Minute
	place := Shops[o.Shop].Place
	start := o.CreatedAt.In(zones()[place]).Truncate(quarter)
	if ends == tomorrow {
		start = morningAfter(o.CreatedAt, place)
		return window{start, start.Add(3 * time.Hour)}, window{start.Add(4 * time.Hour), start.Add(8 * time.Hour)}
	}
	return window{start, start.Add(6 * quarter)}, window{start.Add(2 * quarter), start.Add(10 * quarter)}
}

func (s *Shop) address() address {
	place := &Places[s.Place]
	return address{Line1: s.Line1, City: place.City, Province: place.Province, Postal: s.Postal, Country: "CA"}
}

// contents returns what an order sends: units of a product in stock in every third one, otherwise a
// parcel or two of the shop's goods.
func (s *Shop) contents(random *rand.Rand, number int) (parcels []parcel, items []item) {
	if number%3 == 0 {
		sold := s.sold()
		product := sold[random.IntN(len(sold))]
		items = []item{{product + 1, 1 + random.IntN(2)}}
		return []parcel{newParcel(random, 1, s.Products[product].Name)}, items
	}
	for i := range 1 + random.IntN(5)/4 {
		parcels = append(parcels, newParcel(random, i+1, s.Goods[random.IntN(len(s.Goods))]))
	}
	return parcels, nil
}

// sold returns the indexes of the products that orders take units of.
func (s *Shop) sold() (indexes []int) {
	for i := range s.Products {
		if s.Products[i].Sold {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

func newParcel(random *rand.Rand, number int, description string) parcel {
	return parcel{
		ParcelID: fmt.Sprintf("P-%d", number), Description: description,
		Length: 20 + 5*random.IntN(5), Width: 15 + 5*random.IntN(4), Height: 10 + 5*random.IntN(4),
		Weight: 0.5 + 0.5*float64(random.IntN(12)), Value: 1_500 + 500*random.IntN(20),
	}
}

// recipient returns a person at a place, without a window.
func recipient(random *rand.Rand, place int) contact {
	first, last := firstNames[random.IntN(len(firstNames))], lastNames[random.IntN(len(lastNames))]
	at := &Places[place]
	where := at.streets[random.IntN(len(at.streets))]
	person := contact{
		Name: first + " " + last, Phone: fmt.Sprintf("%s01%02d", at.phone, 10+random.IntN(90)),
		Email: fmt.Sprintf("%s.%s@example.com", plain(first), plain(last)),
		Address: address{
			Line1: fmt.Sprintf("%d %s", 10+random.IntN(4_990), where.name), City: at.City, Province: at.Province,
			Postal: fmt.Sprintf("%s %d%c%d", where.area, 1+random.IntN(9), "ABCEGHJKLMNPRSTVWXYZ"[random.IntN(20)],
				1+random.IntN(9)), Country: "CA",
		},
	}
	switch random.IntN(6) {
	case 0:
		person.Address.Line2 = fmt.Sprintf("Apt. %d", 1+random.IntN(40))
	case 1:
		person.Address.Notes = doors[random.IntN(len(doors))]
	default: // the street is enough
	}
	return person
}

var doors = []string{"Ring twice", "Side door", "Sonnez au 2", "Leave with the concierge", "Porte de côté"}
