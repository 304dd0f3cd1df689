package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	endpoints = db.NewTable("webhook_endpoints",
		db.Key(db.Text("partner_id", func(e *webhook.Endpoint) *string { return &e.PartnerID })),
		db.Text("url", func(e *webhook.Endpoint) *string { return &e.URL }),
		db.Flag("enabled", func(e *webhook.Endpoint) *bool { return &e.Enabled }),
		db.Text("disabled_reason", func(e *webhook.Endpoint) *string { return &e.DisabledReason }),
		db.Moment("created_at", func(e *webhook.Endpoint) *time.Time { return &e.CreatedAt }),
		db.Blob("secret", func(e *webhook.Endpoint) *[]byte { return &e.Secret }),
		db.Blob("next_secret", func(e *webhook.Endpoint) *[]byte { return &e.NextSecret }),
		db.Moment("next_secret_at", func(e *webhook.Endpoint) *time.Time { return &e.NextSecretAt }),
		db.Integer("failures", func(e *webhook.Endpoint) *int64 { return &e.Failures }),
		db.Moment("failing_since", func(e *webhook.Endpoint) *time.Time { return &e.FailingSince }),
		db.Integer("pace", func(e *webhook.Endpoint) *int64 { return &e.Pace }),
		db.Moment("open_until", func(e *webhook.Endpoint) *time.Time { return &e.OpenUntil }),
		db.Moment("wake_at", func(e *webhook.Endpoint) *time.Time { return &e.WakeAt }),
		db.Text("holder", func(e *webhook.Endpoint) *string { return &e.Holder }),
		db.Moment("lease_until", func(e *webhook.Endpoint) *time.Time { return &e.LeaseUntil }),
	)
	findEndpoints = db.LookUpBy(db.ByID("partner_id"), endpoints)
	lockEndpoints = db.LockBy(db.ByID("partner_id"), endpoints)
	addEndpoints  = endpoints.Insert()
	saveEndpoints = endpoints.Update()
	wakeEndpoints = db.UpdateOf(endpoints, endpoints.Key, endpoints.Pick("wake_at"))
)
