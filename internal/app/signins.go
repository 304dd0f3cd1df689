package app

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// openAccounts creates the services of partners and operators, and of what their people
// sign in with.
func (a *App) openAccounts() {
	factors := &signin.Factors{Sealer: a.sealer, Now: a.Now}
	devices := signin.Devices{Post: a.Post}
	a.partners = partner.NewService(partner.Config{
		Store: a.store.Partners(), Now: a.Now, Random: a.Random, Hasher: a.Hasher, Sealer: a.sealer, Log: a.Log,
		Registration: partner.Registration(a.config.Registration), BaseURL: a.URL, Post: a.Post, Cleaner: a.cleaner,
		Factors: factors, Devices: devices, SignIns: a.store.SignIns(), Observer: a.metrics.Logins("partner"),
		SeedTest: func(ctx context.Context, testAccount string) error { return a.stock.Seed(ctx, testAccount) },
	})
	a.operators = newOperators(a.store, a.Surroundings, factors, devices, a.metrics.Logins("operator"), a.unreadable("audit"))
	a.rules = &signin.Rules{
		Store: a.store.OperatorSignIns(), Now: a.Now, Random: a.Random,
		Roles: map[signin.Kind][]string{signin.Operators: texts(operator.Roles), signin.Users: texts(partner.Roles)},
	}
	config := signin.Config{
		Hasher: a.Hasher, Factors: factors, Rules: a.rules, Post: a.Post, Now: a.Now, Random: a.Random, Log: a.Log,
	}
	config.Kind, config.Store, config.Gate, config.MinPassword = signin.Users, a.store.UserSignIns(), a.partners.Gate(), credential.MinUserPassword
	config.BaseURL = func() string { return a.URL() + "/portal" }
	a.userSignIns = signin.NewService(config)
	config.Kind, config.Store, config.Gate, config.MinPassword = signin.Operators, a.store.OperatorSignIns(), a.operators.Gate(), credential.MinOperatorPassword
	config.BaseURL = func() string { return a.URL() + "/console" }
	a.operatorSignIns = signin.NewService(config)
}

// texts returns words as texts.
func texts[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = string(word)
	}
	return all
}
