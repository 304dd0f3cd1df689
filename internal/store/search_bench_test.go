package store

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/search"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

var (
	benchFirst  = []string{"Camille", "Antoine", "Émilie", "Jean-Luc", "Sophie", "Noah", "Olivia", "Léa", "Amélie", "Marc"}
	benchStreet = []string{"rue Sherbrooke", "rue Saint-Denis", "King St W", "Queen St", "Main St", "boul. Saint-Laurent"}
	benchPart   = []string{
		"trem", "bou", "char", "ga", "gnon", "lan", "dry", "mar", "tin",
		"ro", "ber", "le", "clerc", "vin", "cent", "ette",
	}
	benchCity = []string{"Montréal", "Toronto", "Vancouver", "Laval", "Québec"}
)

// BenchmarkSearch fills the index with as many orders as DROPYARD_SEARCH_ORDERS says, or ten thousand, and looks
// for what callers say. Each name is a search.
func BenchmarkSearch(b *testing.B) {
	orders := 10_000
	if text := os.Getenv("DROPYARD_SEARCH_ORDERS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		orders = n
	}
	for engine, open := range map[string]func() (*Store, error){
		"sqlite":   func() (*Store, error) { return OpenSQLite(b.Context(), MigratedSQLite(b)) },
		"postgres": func() (*Store, error) { return OpenPostgres(b.Context(), MigratedPostgres(b)) },
	} {
		b.Run(engine, func(b *testing.B) {
			s, err := open()
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			fillBench(b, s, orders)
			for _, typed := range []string{
				"tremb", "Camille", "char", "leclerc", "camille tremblay", "montreal", "montr", "rue sherbrooke montreal",
				"1200 rue sherb", "(514) 555-0123",
				"0123", "H2X 3K8", "PP-4711", "camille.tremblay77@example.com", "zzz", "rue zzz", "rue",
			} {
				words := search.Parse(typed)
				b.Run(typed, func(b *testing.B) {
					for b.Loop() {
						err := s.Dispatch().Read(b.Context(), func(tx dispatch.Reader) error {
							_, err := tx.OrdersWith(b.Context(), "", words, 20)
							return err
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// fillBench fills the index, without orders.
func fillBench(b *testing.B, s *Store, count int) {
	b.Helper()
	random := repeatable.Rand(b)
	partners := make([]string, 300)
	for i := range partners {
		partners[i], _ = delivery.NewPartnerID(repeatable.Reader(b, fmt.Sprint(i)))
	}
	ids := repeatable.Reader(b, "ids")
	defer settle(b, s)
	for start := 0; start < count; start += 100 {
		some := make([]*delivery.Order, 100)
		for i := range some {
			n := start + i
			partnerID := partners[random.IntN(len(partners))]
			at := testkit.Epoch.Add(time.Duration(n) * 10 * time.Second)
			id, _ := delivery.NewOrderID(ids, partnerID, at)
			o := testkit.Order(partnerID, id, fmt.Sprint("PP-", n), at)
			first, last := benchFirst[random.IntN(len(benchFirst))], "Tremblay"
			if random.IntN(30) > 0 {
				last = ""
				for range 3 {
					last += benchPart[random.IntN(len(benchPart))]
				}
			}
			to := &o.Dropoff
			to.Name, to.Phone = first+" "+last, fmt.Sprintf("+1514%07d", random.IntN(10_000_000))
			to.Email = fmt.Sprintf("%s.%s%d@example.com", first, last, random.IntN(100))
			to.Address.Line1 = fmt.Sprint(random.IntN(9000), " ", benchStreet[random.IntN(len(benchStreet))])
			to.Address.City = benchCity[random.IntN(len(benchCity))]
			to.Address.PostalCode = fmt.Sprintf("H%dX %dK%d", random.IntN(10), random.IntN(10), random.IntN(10))
			some[i] = o
		}
		err := s.Write(b.Context(), func(c db.Conn) error { return fillIndex(context.WithoutCancel(b.Context()), c, some) })
		if err != nil {
			b.Fatal(err)
		}
	}
}

// settle does what autovacuum does to the index of a server that runs: tests have none.
func settle(b *testing.B, s *Store) {
	b.Helper()
	if !s.Shared() {
		return
	}
	err := s.Write(b.Context(), func(c db.Conn) error {
		_, err := c.Exec(b.Context(), "SELECT gin_clean_pending_list('index_orders_words')")
		if err == nil {
			_, err = c.Exec(b.Context(), "ANALYZE index_orders")
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
