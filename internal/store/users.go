package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

var (
	users = db.NewTable("users",
		db.Key(db.Text("user_id", func(a *partner.Account) *string { return &a.UserID })),
		db.Text("partner_id", func(a *partner.Account) *string { return &a.PartnerID }),
		db.Text("email", func(a *partner.Account) *string { return &a.Email }),
		db.Text("email_key", func(a *partner.Account) *string { return &a.EmailKey }),
		db.Text("name", func(a *partner.Account) *string { return &a.Name }),
		db.Text("role", func(a *partner.Account) *string { return (*string)(&a.Role) }),
		db.Text("password_hash", func(a *partner.Account) *string { return &a.PasswordHash }),
		db.Moment("created_at", func(a *partner.Account) *time.Time { return &a.CreatedAt }),
		db.Moment("unproven_since", func(a *partner.Account) *time.Time { return &a.UnprovenSince }),
	)
	addUsers  = users.Insert()
	findUsers = db.LookUpBy(db.ByID("user_id"), users)
	lockUsers = db.LockBy(db.ByID("user_id"), users)
	saveUsers = db.UpdateOf(users,
		db.Key(db.Text("user_id", func(u *partner.User) *string { return &u.UserID })),
		db.Key(
			db.Text("name", func(u *partner.User) *string { return &u.Name }),
			db.Text("role", func(u *partner.User) *string { return (*string)(&u.Role) })))
)
