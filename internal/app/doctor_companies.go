package app

import (
	"context"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/store"
)

const (
	// companiesAtOnce is how many partners' providers the doctor asks at once.
	companiesAtOnce = 16
	// companiesWait bounds how long it waits for all of them.
	companiesWait = 30 * time.Second
)

// companies are the OpenID providers through which partners' people sign in.
type companies struct{ partners, issuers []string }

func (c *companies) add(partnerID, issuer string) {
	c.partners, c.issuers = append(c.partners, partnerID), append(c.issuers, issuer)
}

// read adds those of a database.
func (c *companies) read(ctx context.Context, database *db.Database) error {
	of := store.Schema.Providers
	return database.Read(ctx, func(conn db.Conn) error {
		if has, err := hasTable(ctx, conn, of.Table); !has {
			return err
		}
		return conn.Query(ctx, of.Query, nil, func(r db.Row) error {
			var partnerID, issuer string
			err := r.Scan(&partnerID, &issuer)
			c.add(partnerID, issuer)
			return err
		})
	})
}

// ask asks each provider to describe itself, as the service does when a person signs in. What is
// wrong is a note: the partner has to mend it.
func (c *companies) ask(ctx context.Context, settings *config.Config, d *Diagnosis) error {
	if len(c.partners) == 0 {
		return nil
	}
	transport, err := newOutbound(settings)
	if err != nil {
		return err
	}
	defer transport.Close()
	ctx, cancel := context.WithTimeout(ctx, companiesWait)
	defer cancel()
	problems := make([]error, len(c.partners))
	next := make(chan int)
	var asking sync.WaitGroup
	for range min(companiesAtOnce, len(c.partners)) {
		asking.Go(func() {
			for i := range next {
				client := openid.New(openid.Config{Issuer: c.issuers[i], Transport: transport})
				problems[i] = client.Reach(ctx)
			}
		})
	}
	for i := range c.partners {
		next <- i
	}
	close(next)
	asking.Wait()
	reached := 0
	for i, problem := range problems {
		if problem != nil {
			d.note("people of partner %s cannot sign in through their OpenID provider: %v", c.partners[i], problem)
		} else {
			reached++
		}
	}
	d.note("OpenID providers of partners: %d, of which %d describe themselves", len(c.partners), reached)
	return nil
}
