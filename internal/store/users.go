package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	users = newTable("users",
		key(text("user_id", func(a *partner.Account) *string { return &a.UserID })),
		text("partner_id", func(a *partner.Account) *string { return &a.PartnerID }),
		text("email", func(a *partner.Account) *string { return &a.Email }),
		text("email_key", func(a *partner.Account) *string { return &a.EmailKey }),
		text("name", func(a *partner.Account) *string { return &a.Name }),
		text("role", func(a *partner.Account) *string { return (*string)(&a.Role) }),
		text("password_hash", func(a *partner.Account) *string { return &a.PasswordHash }),
		moment("created_at", func(a *partner.Account) *time.Time { return &a.CreatedAt }),
		moment("unproven_since", func(a *partner.Account) *time.Time { return &a.UnprovenSince }),
	)
	addUsers  = users.insert()
	findUsers = lookUpBy(byID("user_id"), users)
	lockUsers = lockBy(byID("user_id"), users)
	saveUsers = updateOf(users,
		key(text("user_id", func(u *partner.User) *string { return &u.UserID })),
		key(
			text("name", func(u *partner.User) *string { return &u.Name }),
			text("role", func(u *partner.User) *string { return (*string)(&u.Role) })))
)
