package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	endpoints = newTable("webhook_endpoints",
		key(text("partner_id", func(e *webhook.Endpoint) *string { return &e.PartnerID })),
		text("url", func(e *webhook.Endpoint) *string { return &e.URL }),
		flag("enabled", func(e *webhook.Endpoint) *bool { return &e.Enabled }),
		text("disabled_reason", func(e *webhook.Endpoint) *string { return &e.DisabledReason }),
		moment("created_at", func(e *webhook.Endpoint) *time.Time { return &e.CreatedAt }),
		blob("secret", func(e *webhook.Endpoint) *[]byte { return &e.Secret }),
		blob("next_secret", func(e *webhook.Endpoint) *[]byte { return &e.NextSecret }),
		moment("next_secret_at", func(e *webhook.Endpoint) *time.Time { return &e.NextSecretAt }),
		integer("failures", func(e *webhook.Endpoint) *int64 { return &e.Failures }),
		moment("failing_since", func(e *webhook.Endpoint) *time.Time { return &e.FailingSince }),
		integer("pace", func(e *webhook.Endpoint) *int64 { return &e.Pace }),
		moment("open_until", func(e *webhook.Endpoint) *time.Time { return &e.OpenUntil }),
		moment("wake_at", func(e *webhook.Endpoint) *time.Time { return &e.WakeAt }),
		text("holder", func(e *webhook.Endpoint) *string { return &e.Holder }),
		moment("lease_until", func(e *webhook.Endpoint) *time.Time { return &e.LeaseUntil }),
	)
	findEndpoints = lookUpBy(byID("partner_id"), endpoints)
	lockEndpoints = lockBy(byID("partner_id"), endpoints)
	addEndpoints  = endpoints.insert()
	saveEndpoints = endpoints.update()
	wakeEndpoints = updateOf(endpoints, endpoints.key, endpoints.pick("wake_at"))
)
