-- +goose Up

-- The tables of the first release, room by room. The files of both engines are
-- the same but for their dialect: BLOB is BYTEA on PostgreSQL, and only SQLite
-- has WITHOUT ROWID, which stores a row in its primary key instead of beside it.
--
-- In a table the key comes first, then facts, then times. Long texts come last:
-- SQLite puts the end of a long row on pages of its own, which a statement that
-- reads only the columns before does not touch.
--
-- partner_id leads every key of a table that grows with use, so that the rows of
-- one partner can live together on one node of a distributed engine.
-- No column is NULL, and none has a default: '' and 0 mean that there is nothing.
-- Columns that end in _at and other moments are microseconds since 1970, in UTC.
-- Money is in cents. Booleans are 1 or 0.

-- What the service remembers about itself, such as the fingerprint of its master
-- key and how far a copy has come.
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- The processes that serve on a shared database. Each writes every 30 s that it is there.
CREATE TABLE nodes (
    node_id    TEXT   NOT NULL PRIMARY KEY,
    version    TEXT   NOT NULL, -- of dropyard
    started_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    keys       TEXT   NOT NULL  -- fingerprints of its master keys; the first seals
);

-- partner: accounts, API keys, sessions, limits ------------------------------

CREATE TABLE partners (
    partner_id TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    email      TEXT   NOT NULL, -- of the owner who registered it
    created_at BIGINT NOT NULL
);

-- The people of a partner.
CREATE TABLE users (
    user_id       TEXT   NOT NULL PRIMARY KEY,
    partner_id    TEXT   NOT NULL REFERENCES partners,
    email         TEXT   NOT NULL,        -- as given
    email_key     TEXT   NOT NULL UNIQUE, -- in lower case, for comparison
    name          TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    password_hash TEXT   NOT NULL,
    created_at    BIGINT NOT NULL
);
-- Lists the people of a partner, oldest first.
CREATE INDEX users_of_partner ON users (partner_id, created_at);

CREATE TABLE api_keys (
    key_id       TEXT   NOT NULL PRIMARY KEY,
    partner_id   TEXT   NOT NULL REFERENCES partners,
    name         TEXT   NOT NULL,
    public_key   TEXT   NOT NULL UNIQUE,
    secret       BYTEA  NOT NULL, -- sealed under the master key
    created_by   TEXT   NOT NULL, -- users.user_id; the user may have left
    creator_name TEXT   NOT NULL,
    scopes       TEXT   NOT NULL, -- with a space between two; '' for all
    mode         TEXT   NOT NULL, -- live or test
    require_v2   BIGINT NOT NULL, -- 1 if requests must have a signature of version 2
    created_at   BIGINT NOT NULL,
    revoked_at   BIGINT NOT NULL, -- 0 while the key is valid
    last_used_at BIGINT NOT NULL
);
-- Lists the keys of a partner, oldest first.
CREATE INDEX api_keys_of_partner ON api_keys (partner_id, created_at);

-- The nonces of changes with a signature of version 2, each of which a key accepts once.
CREATE TABLE nonces (
    partner_id TEXT   NOT NULL,
    key_id     TEXT   NOT NULL,
    nonce      TEXT   NOT NULL,
    signed_at  BIGINT NOT NULL, -- the X-Timestamp
    PRIMARY KEY (partner_id, key_id, nonce)
);
-- Finds the nonces that have expired.
CREATE INDEX nonces_signed ON nonces (signed_at);

CREATE TABLE sessions (
    token_hash   BYTEA  NOT NULL PRIMARY KEY,
    session_id   TEXT   NOT NULL,
    partner_id   TEXT   NOT NULL REFERENCES partners,
    user_id      TEXT   NOT NULL,
    address      TEXT   NOT NULL, -- of the client that logged in
    agent        TEXT   NOT NULL, -- its User-Agent
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);
-- Lists the sessions of a user, oldest first.
CREATE INDEX sessions_of_user ON sessions (partner_id, user_id, created_at);

-- How a partner appears to recipients. A partner without a row has the defaults.
CREATE TABLE partner_profiles (
    partner_id     TEXT   NOT NULL PRIMARY KEY,
    public_name    TEXT   NOT NULL, -- '' for partners.name
    support_url    TEXT   NOT NULL,
    language       TEXT   NOT NULL, -- '' for that of the recipient's browser
    recipient_mail BIGINT NOT NULL, -- 1 if recipients get mail about their orders
    logo_version   TEXT   NOT NULL, -- '' without a logo
    logo_format    TEXT   NOT NULL,
    logo           BYTEA  NOT NULL
);

-- What operators have set for a partner. A partner without a row has the
-- defaults.
CREATE TABLE partner_settings (
    partner_id       TEXT   NOT NULL PRIMARY KEY,
    rate_limit       BIGINT NOT NULL, -- requests a minute; -1 for the default
    rate_card        TEXT   NOT NULL, -- rate_cards.name; '' for the default series
    orders_per_day   BIGINT NOT NULL, -- 0 for no limit; -1 for the default
    stored_bytes     BIGINT NOT NULL, -- likewise
    suspended_reason TEXT   NOT NULL,
    suspended_at     BIGINT NOT NULL, -- 0 while the partner is active
    pending_since    BIGINT NOT NULL  -- 0 once the account has been approved
);

-- The rate that a partner has used on all nodes together (throttle.Ledger). Nodes
-- lease a few requests at a time from it.
CREATE TABLE rate_leases (
    partner_id    TEXT   NOT NULL PRIMARY KEY,
    tat           BIGINT NOT NULL, -- the theoretical arrival time of GCRA, a moment
    generation    BIGINT NOT NULL, -- counts spans of equal length since 1970
    leased        BIGINT NOT NULL, -- requests leased out in this generation
    leased_before BIGINT NOT NULL  -- and in the one before
);

-- The signed requests of the last days. A row holds those of one partner that a node
-- answered within a moment.
CREATE TABLE request_log (
    partner_id TEXT   NOT NULL,
    segment_id TEXT   NOT NULL, -- sorts by time
    requests   BIGINT NOT NULL,
    size       BIGINT NOT NULL, -- of packed, in bytes
    first_at   BIGINT NOT NULL, -- when the first and the last of them arrived
    last_at    BIGINT NOT NULL,
    packed     BYTEA  NOT NULL, -- see requestlog.Packer
    PRIMARY KEY (partner_id, segment_id)
);
-- Finds the oldest, and measures them all.
CREATE INDEX request_log_by_time ON request_log (segment_id, size);

-- signin: what people sign in with -------------------------------------------

-- Links that can be used once. Each is removed in the transaction that uses it.
CREATE TABLE one_time_links (
    token_hash  BYTEA  NOT NULL PRIMARY KEY,
    link_id     TEXT   NOT NULL,
    kind        TEXT   NOT NULL, -- invitation, reset or email
    user_id     TEXT   NOT NULL, -- the user of a partner that it is for; '' for others
    operator_id TEXT   NOT NULL, -- the operator that it is for; '' for others
    partner_id  TEXT   NOT NULL, -- '' for operators
    email       TEXT   NOT NULL, -- the address of an invitation, or the new address
    email_key   TEXT   NOT NULL, -- in lower case, for comparison
    role        TEXT   NOT NULL, -- of an invitation
    created_by  TEXT   NOT NULL, -- the user or operator who made it
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

-- Mails that wait to be sent. A mail is removed once it is sent or given up.
CREATE TABLE mails (
    mail_id    TEXT   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL,
    order_id   TEXT   NOT NULL, -- of a mail to the recipient of an order; '' for others
    sealed     BYTEA  NOT NULL, -- recipient and contents, sealed under the master key
    attempts   BIGINT NOT NULL,
    next_at    BIGINT NOT NULL, -- when the next attempt is due
    created_at BIGINT NOT NULL
);
-- Finds the mails that are due.
CREATE INDEX mails_due ON mails (next_at, mail_id);
-- Finds those of an order that is erased.
CREATE INDEX mails_of_order ON mails (order_id) WHERE order_id <> '';

-- Failed logins by account and by network, and frequent ones by account, of partners and
-- operators on all nodes (credential.Gate). A row is removed once its key is at rest.
CREATE TABLE sign_in_counts (
    count_key BYTEA  NOT NULL PRIMARY KEY, -- SHA-256 of what is counted
    rest_at   BIGINT NOT NULL
);

-- What a user of a partner, or an operator, signs in with besides the password. One
-- without a row has the password only.
CREATE TABLE sign_ins (
    person_id          TEXT   NOT NULL PRIMARY KEY, -- a user or an operator
    totp_secret        BYTEA  NOT NULL, -- sealed under the master key; empty without
    totp_confirmed_at  BIGINT NOT NULL, -- 0 until the first code was shown
    totp_step          BIGINT NOT NULL, -- the step of time of the last code that was accepted
    reset_requested_at BIGINT NOT NULL  -- 0 unless a new password is waited for
);

-- Codes that stand in for those of a lost authenticator app. Each is removed when it
-- is used.
CREATE TABLE recovery_codes (
    person_id TEXT   NOT NULL,
    code_hash BYTEA  NOT NULL,
    PRIMARY KEY (person_id, code_hash)
);

-- The devices that people have signed in from. A sign-in from another is mailed.
CREATE TABLE known_devices (
    person_id    TEXT   NOT NULL, -- a user or an operator
    device_hash  BYTEA  NOT NULL, -- SHA-256 of the token in its cookie, or of its User-Agent and network
    last_seen_at BIGINT NOT NULL,
    PRIMARY KEY (person_id, device_hash)
);

-- The roles that must sign in with a code as well.
CREATE TABLE sign_in_rules (
    kind  TEXT NOT NULL PRIMARY KEY, -- operators, or users of partners
    roles TEXT NOT NULL              -- separated by spaces
);

-- ratecard: what deliveries cost ---------------------------------------------

-- The rate cards that operators have uploaded. Rows are only ever added.
CREATE TABLE rate_cards (
    card_id        TEXT   NOT NULL PRIMARY KEY,
    name           TEXT   NOT NULL, -- of the series; 'default' applies to every partner without one
    version        TEXT   NOT NULL UNIQUE,
    operator_id    TEXT   NOT NULL,
    effective_from BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    document       TEXT   NOT NULL  -- JSON, as uploaded
);

-- operator: accounts, tokens, sessions, the audit log ------------------------

CREATE TABLE operators (
    operator_id   TEXT   NOT NULL PRIMARY KEY,
    email         TEXT   NOT NULL,        -- as given
    email_key     TEXT   NOT NULL UNIQUE, -- in lower case, for comparison
    password_hash TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    courier_id    TEXT   NOT NULL, -- the courier that an operator of that role is; '' for other roles
    active        BIGINT NOT NULL,
    created_at    BIGINT NOT NULL
);

CREATE TABLE operator_tokens (
    token_id    TEXT   NOT NULL PRIMARY KEY,
    token_hash  BYTEA  NOT NULL UNIQUE,
    operator_id TEXT   NOT NULL REFERENCES operators,
    name        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

CREATE TABLE operator_sessions (
    token_hash   BYTEA  NOT NULL PRIMARY KEY,
    session_id   TEXT   NOT NULL,
    operator_id  TEXT   NOT NULL REFERENCES operators,
    address      TEXT   NOT NULL, -- of the client that logged in
    agent        TEXT   NOT NULL, -- its User-Agent
    vouched      BIGINT NOT NULL, -- an OpenID provider vouched for the operator
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);

-- Who operators are at OpenID providers, once they have signed in there.
CREATE TABLE operator_identities (
    issuer      TEXT   NOT NULL,
    subject     TEXT   NOT NULL,
    operator_id TEXT   NOT NULL REFERENCES operators,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);

-- What operators have changed. Rows are only ever added.
CREATE TABLE audit (
    partner_id  TEXT   NOT NULL, -- the partner that the object belongs to; '' if it belongs to none
    audit_id    TEXT   NOT NULL, -- sorts by time
    operator_id TEXT   NOT NULL,
    request_id  TEXT   NOT NULL,
    action      TEXT   NOT NULL,
    object_id   TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    before      TEXT   NOT NULL, -- JSON
    after       TEXT   NOT NULL, -- JSON
    PRIMARY KEY (partner_id, audit_id)
);
-- Lists the log of all partners, and that of one object.
CREATE INDEX audit_by_time ON audit (audit_id);
CREATE INDEX audit_of_object ON audit (object_id, audit_id);

-- The changes by operators that came with an Idempotency-Key. A row is written with its
-- change, and the answer afterwards. Moves and bookings are in idempotency_keys.
CREATE TABLE operator_receipts (
    operator_id TEXT   NOT NULL,
    key_hash    BYTEA  NOT NULL, -- SHA-256 of the key
    scope       TEXT   NOT NULL, -- method and path
    body_hash   BYTEA  NOT NULL, -- HMAC-SHA256 under the key
    request_id  TEXT   NOT NULL, -- of the request that made the change
    action      TEXT   NOT NULL, -- audit.action; '' if nothing was changed
    partner_id  TEXT   NOT NULL, -- as in audit
    object_id   TEXT   NOT NULL,
    status      BIGINT NOT NULL, -- of the answer; 0 until it is kept
    created_at  BIGINT NOT NULL,
    answer      TEXT   NOT NULL, -- JSON
    PRIMARY KEY (operator_id, key_hash, scope)
);

-- stock: products, levels, the ledger of movements ---------------------------

CREATE TABLE products (
    partner_id  TEXT   NOT NULL,
    product_id  BIGINT NOT NULL, -- counts from 1 for each partner
    name        TEXT   NOT NULL,
    barcode     TEXT   NOT NULL,
    search_key  TEXT   NOT NULL, -- name and barcode in lower case
    status      TEXT   NOT NULL,
    price_cents BIGINT NOT NULL,
    quantity    BIGINT NOT NULL, -- the sum over stock_levels, written together with them
    stock_min   BIGINT NOT NULL, -- the stock is low at this quantity and below
    stock_max   BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (partner_id, product_id)
);
-- Lists the products to restock, of all partners: few among a million products.
CREATE INDEX products_low ON products (partner_id, product_id) WHERE quantity <= stock_min AND status = 'active';

CREATE TABLE stock_levels (
    partner_id TEXT   NOT NULL,
    product_id BIGINT NOT NULL,
    location   TEXT   NOT NULL,
    quantity   BIGINT NOT NULL CHECK (quantity >= 0),
    PRIMARY KEY (partner_id, product_id, location)
);

-- The ledger: the movements of a product add up to its quantity.
CREATE TABLE stock_movements (
    partner_id  TEXT   NOT NULL,
    movement_id BIGINT NOT NULL, -- counts from 1 for each partner
    product_id  BIGINT NOT NULL,
    order_id    TEXT   NOT NULL, -- the order that caused it; '' if none did
    type        TEXT   NOT NULL,
    quantity    BIGINT NOT NULL, -- subtracted if type is OUT, added otherwise; a correction may be negative
    location    TEXT   NOT NULL,
    notes       TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (partner_id, movement_id)
);
-- Lists the movements of one product.
CREATE INDEX stock_movements_of_product ON stock_movements (partner_id, product_id, movement_id);

-- The last product_id and movement_id that a partner was given. Its row is the
-- lock under which the next ones are taken.
CREATE TABLE partner_counters (
    partner_id    TEXT   NOT NULL PRIMARY KEY,
    last_product  BIGINT NOT NULL,
    last_movement BIGINT NOT NULL
);

-- What a partner has used of its quotas. Every transaction that creates, erases or
-- removes orders adds to the row.
CREATE TABLE partner_usage (
    partner_id     TEXT   NOT NULL PRIMARY KEY,
    orders         BIGINT NOT NULL, -- created, ever
    day            BIGINT NOT NULL, -- days since 1970, in UTC; the latest on which a quota of orders was looked at
    orders_earlier BIGINT NOT NULL, -- created before that day
    stored_bytes   BIGINT NOT NULL  -- of orders.document
);

-- order: orders, their history, idempotency ----------------------------------

-- What is fixed at creation is in document: the record that was answered. The
-- other columns hold what changes, or what an order is looked up by.
CREATE TABLE orders (
    partner_id          TEXT   NOT NULL,
    order_id            TEXT   NOT NULL, -- sorts by time
    partner_order_id    TEXT   NOT NULL,
    status              TEXT   NOT NULL,
    version             BIGINT NOT NULL, -- grows with every change; guards against concurrent ones
    events              BIGINT NOT NULL, -- how many were written for this order
    last_event          TEXT   NOT NULL, -- the id of the newest
    cancellation_reason TEXT   NOT NULL,
    updated_at          BIGINT NOT NULL,
    estimated_delivery  BIGINT NOT NULL,
    cancelled_at        BIGINT NOT NULL,
    courier             TEXT   NOT NULL, -- JSON
    allocation          TEXT   NOT NULL, -- JSON: the stock that was taken, by location
    document            BYTEA  NOT NULL, -- JSON, packed: see packed.go
    PRIMARY KEY (partner_id, order_id),
    UNIQUE (partner_id, partner_order_id)
);
-- Lists the orders of a partner in one status, by time. The sweep finds in it
-- what ended long ago.
CREATE INDEX orders_by_status ON orders (partner_id, status, order_id);
-- Finds the test orders that the simulation moves next. It holds test orders under way
-- only; the ids of test accounts begin with the letters from g on.
CREATE INDEX orders_simulated ON orders (updated_at, order_id)
    WHERE partner_id >= 'par_g' AND status <> 'delivered' AND status <> 'cancelled';

-- Every status after the first. That an order begins as pending needs no row.
CREATE TABLE order_history (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    version     BIGINT NOT NULL, -- the order's version from then on
    status      TEXT   NOT NULL,
    notes       TEXT   NOT NULL,
    created_at  BIGINT NOT NULL, -- when it happened
    recorded_at BIGINT NOT NULL, -- when the service recorded it
    PRIMARY KEY (partner_id, order_id, version)
);

-- The requests that were accepted under an Idempotency-Key, for orders and stock.
CREATE TABLE idempotency_keys (
    partner_id      TEXT   NOT NULL,
    idempotency_key BYTEA  NOT NULL, -- the 16 bytes of the UUID
    scope           TEXT   NOT NULL, -- method and path
    order_id        TEXT   NOT NULL, -- '' if the request concerned no order
    body_hash       BYTEA  NOT NULL, -- SHA-256
    created_at      BIGINT NOT NULL,
    answer          TEXT   NOT NULL, -- JSON; '' for a creation, whose answer is orders.document
    PRIMARY KEY (partner_id, idempotency_key, scope)
);

-- figures: what happened, in sums ---------------------------------------------

-- A row for each partner, day and courier. Every transaction that creates or moves
-- orders, or delivers webhooks, adds to its rows; they hold nothing personal and are
-- kept. On SQLite they lie in the order in which the days came, not in that of the
-- key, so that the rows of today, which are written all the time, share few pages.
CREATE TABLE figures (
    partner_id             TEXT   NOT NULL,
    day                    BIGINT NOT NULL, -- days since 1970: the local date at the dropoff
    courier_id             TEXT   NOT NULL, -- '' for what no courier did
    orders                 BIGINT NOT NULL, -- created
    assigned               BIGINT NOT NULL,
    delivered              BIGINT NOT NULL,
    on_time                BIGINT NOT NULL,
    failed_attempts        BIGINT NOT NULL,
    cancelled              BIGINT NOT NULL,
    webhooks_delivered     BIGINT NOT NULL,
    pending_ended          BIGINT NOT NULL, -- how often an order has left the status, and for how
    pending_ms             BIGINT NOT NULL, -- long these orders had been in it
    accepted_ended         BIGINT NOT NULL,
    accepted_ms            BIGINT NOT NULL,
    courier_assigned_ended BIGINT NOT NULL,
    courier_assigned_ms    BIGINT NOT NULL,
    picked_up_ended        BIGINT NOT NULL,
    picked_up_ms           BIGINT NOT NULL,
    in_transit_ended       BIGINT NOT NULL,
    in_transit_ms          BIGINT NOT NULL,
    out_for_delivery_ended BIGINT NOT NULL,
    out_for_delivery_ms    BIGINT NOT NULL,
    failed_ended           BIGINT NOT NULL,
    failed_ms              BIGINT NOT NULL,
    PRIMARY KEY (partner_id, day, courier_id)
);
-- Sums up the days of all partners.
CREATE INDEX figures_of_day ON figures (day);

-- dispatch: couriers, the board, notes ---------------------------------------

CREATE TABLE couriers (
    courier_id TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    phone      TEXT   NOT NULL,
    vehicle    TEXT   NOT NULL,
    active     BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

-- In which order a courier shall do the stops. What is not in it, or is no longer the
-- next stop of its order, has no place.
CREATE TABLE courier_sequences (
    courier_id TEXT   NOT NULL PRIMARY KEY,
    version    BIGINT NOT NULL, -- counts the changes
    stops      TEXT   NOT NULL  -- JSON: [{"order_id", "stop"}]; '' if there are none
);

-- The board: a row for each order that is in no final status, written in the
-- transaction that writes the order. The dispatch board reads nothing else, so
-- that orders that have ended cost it nothing. On SQLite its rows lie in the order in
-- which they came, so that new ones share pages, whichever partner they belong to.
CREATE TABLE open_orders (
    partner_id         TEXT   NOT NULL,
    order_id           TEXT   NOT NULL,
    partner_order_id   TEXT   NOT NULL,
    status             TEXT   NOT NULL,
    version            BIGINT NOT NULL, -- the order's
    failures           BIGINT NOT NULL, -- how many attempts to deliver have failed
    service_level      TEXT   NOT NULL,
    zone               TEXT   NOT NULL, -- of the dropoff: the first half of its postal code
    city               TEXT   NOT NULL,
    courier_id         TEXT   NOT NULL, -- '' while none is assigned
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    estimated_delivery BIGINT NOT NULL,
    pickup_start       BIGINT NOT NULL, -- the windows in which a courier is expected
    pickup_end         BIGINT NOT NULL,
    dropoff_start      BIGINT NOT NULL,
    dropoff_end        BIGINT NOT NULL,
    search             TEXT   NOT NULL, -- what operators search for, in lower case
    PRIMARY KEY (partner_id, order_id)
);
-- Lists what a courier has to do. Orders without a courier, and so all new ones,
-- cost the index nothing.
CREATE INDEX open_orders_of_courier ON open_orders (courier_id) WHERE courier_id <> '';

-- What couriers have delivered: a row for each order, as long as the order is kept.
CREATE TABLE courier_deliveries (
    partner_id   TEXT   NOT NULL,
    order_id     TEXT   NOT NULL,
    courier_id   TEXT   NOT NULL,
    delivered_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, order_id)
);
-- Counts and lists what a courier has delivered lately.
CREATE INDEX courier_deliveries_of_courier ON courier_deliveries (courier_id, delivered_at);

-- What operators write to each other about an order.
CREATE TABLE order_notes (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    note_id     TEXT   NOT NULL, -- sorts by time
    operator_id TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    note        TEXT   NOT NULL,
    PRIMARY KEY (partner_id, order_id, note_id)
);

-- What the recipient of an order has been sent, or does not want to be. An order without a
-- row has neither.
CREATE TABLE order_mails (
    partner_id TEXT   NOT NULL,
    order_id   TEXT   NOT NULL,
    stopped_at BIGINT NOT NULL, -- since when the recipient wants no mail; 0 if that is not so
    late_at    BIGINT NOT NULL, -- when the mail that the order is late was written; 0 if it was not
    PRIMARY KEY (partner_id, order_id)
);

-- How a partner's orders are dispatched. A partner without a row has the defaults.
CREATE TABLE dispatch_settings (
    partner_id  TEXT   NOT NULL PRIMARY KEY,
    auto_accept BIGINT NOT NULL
);

-- proof: proofs of delivery --------------------------------------------------

-- The proofs of an order. The pictures are kept outside of the database, each
-- under its name.
CREATE TABLE order_proofs (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    proof_id    TEXT   NOT NULL, -- sorts by time
    kind        TEXT   NOT NULL, -- signature or photo
    name        TEXT   NOT NULL, -- of the picture
    digest      BYTEA  NOT NULL, -- SHA-256 of the file as it was sent
    operator_id TEXT   NOT NULL,
    at          BIGINT NOT NULL, -- when the picture was taken
    recorded_at BIGINT NOT NULL, -- when the service recorded it
    PRIMARY KEY (partner_id, order_id, proof_id)
);

-- The pictures that belong to no proof: those of removed proofs, and those whose
-- proof is being added. They are deleted when they are due.
CREATE TABLE loose_pictures (
    partner_id TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    due_at     BIGINT NOT NULL,
    PRIMARY KEY (partner_id, name)
);

-- webhook: endpoints and the outbox of events --------------------------------

-- Where the events of a partner are sent. The row is the lock of the partner's
-- queue: whatever changes the queue locks it first.
CREATE TABLE webhook_endpoints (
    partner_id      TEXT   NOT NULL PRIMARY KEY,
    url             TEXT   NOT NULL,
    enabled         BIGINT NOT NULL,
    disabled_reason TEXT   NOT NULL, -- '' unless the service disabled it
    secret          BYTEA  NOT NULL, -- sealed under the master key
    next_secret     BYTEA  NOT NULL, -- the same; empty unless a rotation is under way
    next_secret_at  BIGINT NOT NULL, -- when it replaces the secret
    failures        BIGINT NOT NULL, -- requests in a row that failed
    failing_since   BIGINT NOT NULL,
    pace            BIGINT NOT NULL, -- seconds that its requests take, rounded up; 0 before the first
    open_until      BIGINT NOT NULL, -- the breaker holds back requests until then
    wake_at         BIGINT NOT NULL, -- when there is something to do; 0 if nothing waits
    holder          TEXT   NOT NULL, -- the lane that has leased the endpoint; '' if none has
    lease_until     BIGINT NOT NULL,
    created_at      BIGINT NOT NULL
);
-- Find the endpoints that are due: each endpoint without a lane is in one of them.
CREATE INDEX webhook_endpoints_quick ON webhook_endpoints (wake_at) WHERE enabled = 1 AND holder = '' AND pace = 1;
CREATE INDEX webhook_endpoints_untried ON webhook_endpoints (wake_at) WHERE enabled = 1 AND holder = '' AND pace = 0;
CREATE INDEX webhook_endpoints_slow ON webhook_endpoints (wake_at) WHERE enabled = 1 AND holder = '' AND pace > 1;
-- Finds the endpoints that have a lane, or had one on a node that has died.
CREATE INDEX webhook_endpoints_leased ON webhook_endpoints (holder) WHERE holder <> '';

-- The changes of endpoints of the last minutes: when they were signed, and the signatures
-- that are taken once. They outlive their endpoint, so that a request that was signed before
-- its removal does not bring it back.
CREATE TABLE endpoint_changes (
    partner_id TEXT   NOT NULL,
    signed_at  BIGINT NOT NULL, -- the X-Timestamp; in a session the time of the change
    signature  BYTEA  NOT NULL, -- SHA-256 of the signature; empty if it is not taken once
    PRIMARY KEY (partner_id, signed_at, signature)
);

-- The outbox: an event is written in the transaction of the change that it
-- reports, and keeps the record of its delivery.
CREATE TABLE events (
    partner_id TEXT   NOT NULL,
    order_id   TEXT   NOT NULL,
    sequence   BIGINT NOT NULL, -- counts from 1 for each order
    event_id   TEXT   NOT NULL, -- sorts by time
    type       TEXT   NOT NULL,
    state      TEXT   NOT NULL, -- how far the delivery has come
    tries      BIGINT NOT NULL,
    due_at     BIGINT NOT NULL, -- 0 while a pending event waits for an earlier one of its order
    created_at BIGINT NOT NULL,
    facts      TEXT   NOT NULL, -- JSON
    attempts   TEXT   NOT NULL, -- JSON
    PRIMARY KEY (partner_id, order_id, sequence)
);
-- Finds one event, and lists those of a partner by time.
CREATE INDEX events_by_id ON events (partner_id, event_id);
-- Finds what to send. It holds pending events only, however many were delivered.
CREATE INDEX events_due ON events (partner_id, due_at) WHERE state = 'pending';
-- Lists what will not arrive by itself: few events among many.
CREATE INDEX events_undelivered ON events (partner_id, state, event_id) WHERE state IN ('failed', 'skipped');
