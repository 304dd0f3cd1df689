package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// mostMemory is what a service under attack may have resident, in bytes.
const mostMemory = 400 << 20

// peak returns the most memory that the service has had resident, in bytes.
func (s *serving) peak(t *testing.T) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); err == nil {
			return bytes << 10
		}
	}
	t.Fatal("no VmHWM in /proc")
	return 0
}

// besieged is a service that is attacked while another partner creates orders.
type besieged struct {
	*serving
	attacker *apptest.Partner
	other    *apptest.Partner
	statuses [600]atomic.Int64 // how often the attacker got each status
}

func besiege(t *testing.T) *besieged {
	t.Helper()
	testkit.NeedFullLength.OrSkip(t) // how much memory is used depends on how much happens at a time
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	r := run{dir: testkit.FastDir(t), env: append([]string{
		"DROPYARD_RATE_LIMIT=0", "DROPYARD_STRANGER_LIMIT=0", "DROPYARD_NEW_ACCOUNT_BYTES=0",
	}, operatorEnv...)}
	s := r.serve(t)
	return &besieged{serving: s, attacker: s.Register(t, "attacker"), other: s.Register(t, "other")}
}

// attack sends the text on each of many connections again and again, for twenty
// seconds, and expects that the other partner's orders are created meanwhile. With
// reading false, the attacker leaves responses of 200 unread.
func (b *besieged) attack(t *testing.T, connections int, reading bool, text func() string) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	var attackers sync.WaitGroup
	for range connections {
		attackers.Go(func() {
			for ctx.Err() == nil {
				b.send(ctx, reading, text())
				pause(ctx)
			}
		})
	}
	created := 0
	for ; ctx.Err() == nil; created++ {
		b.other.Create(t, testkit.OrderJSON(uuid.NewString(), "")).Must(t, 201)
	}
	attackers.Wait()
	peak := b.peak(t)
	if peak > mostMemory {
		t.Errorf("got %d MB resident, want at most %d", peak>>20, mostMemory>>20)
	}
	t.Logf("%d MB resident at most, %d orders of another partner, attacker: %s", peak>>20, created, b.counts())
}

// pause waits as a client does that was asked to try again in a second.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

func (b *besieged) counts() string {
	var all []string
	for status := range b.statuses {
		if n := b.statuses[status].Load(); n > 0 {
			all = append(all, fmt.Sprintf("%d times %d", n, status))
		}
	}
	return strings.Join(all, ", ")
}

// send sends a text on a new connection, and counts the status that it gets before
// the context ends.
func (b *besieged) send(ctx context.Context, reading bool, text string) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", b.Address())
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if !reading {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	}
	_, _ = io.WriteString(conn, text) // a response may come before its end
	line := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, line); err != nil {
		return
	}
	status, _ := strconv.Atoi(string(line[len(line)-3:]))
	b.statuses[min(status, len(b.statuses)-1)].Add(1)
	if status == 200 && !reading {
		<-ctx.Done()
	}
}

// TestMemoryUnderLargeBodies sends large bodies without credentials, with a wrong
// signature, and with a right one.
func TestMemoryUnderLargeBodies(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	const connections = 300
	request := func(target string, headers []string, length int, body string) string {
		return apptest.Text("POST", target,
			append(headers, "Content-Type", "application/json", "Content-Length", strconv.Itoa(length)), body)
	}
	picture := request("/ops/v1/orders/x/proofs", nil, 5<<20, strings.Repeat("x", 5<<20-1))
	b.attack(t, connections, true, func() string { return picture })
	blank := strings.Repeat(" ", 1<<20)
	forged := request("/v1/orders/batch", b.attacker.Signed("POST", "/v1/orders/batch", nil), len(blank), blank)
	b.attack(t, connections, true, func() string { return forged })
	values := `{"orders":[` + strings.Repeat(`{"a":[{},{}]},`, 499) + strings.Repeat(" ", 1<<20-8000) + `{}]}`
	signed := b.attacker.Signed("POST", "/v1/orders/batch", []byte(values))
	b.attack(t, connections, true, func() string {
		return request("/v1/orders/batch", append(signed, "Idempotency-Key", uuid.NewString()), len(values), values)
	})
}

// TestMemoryUnderUnreadAnswers asks for the largest pages of orders, and does not
// read the responses.
func TestMemoryUnderUnreadAnswers(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	for range 6 {
		b.attacker.Call(t, "POST", "/v1/orders/batch", largeOrders(60), "Idempotency-Key", uuid.NewString()).Must(t, 200)
	}
	list := apptest.Text("GET", "/v1/orders?limit=500", b.attacker.Signed("GET", "/v1/orders", nil), "")
	b.attack(t, 200, false, func() string { return list })
	if b.statuses[200].Load() == 0 || b.statuses[503].Load() == 0 {
		t.Errorf("got %s, want pages, and 503 once there is no room for more", b.counts())
	}
}

// largeOrders returns the body of a batch of orders of 60 kB each.
func largeOrders(count int) []byte {
	parcel := `,{"parcel_id":"P-%d","description":"` + strings.Repeat("x",
		1000) + `","length_cm":1,"width_cm":1,"height_cm":1,"weight_kg":1,"value_cents":1}`
	var parcels strings.Builder
	for i := range 48 {
		fmt.Fprintf(&parcels, parcel, i+3)
	}
	orders := make([]string, count)
	for i := range orders {
		orders[i] = strings.Replace(string(testkit.OrderJSON(uuid.NewString(), "")), `"barcode":"LAMP-2"}`,
			`"barcode":"LAMP-2"}`+parcels.String(), 1)
	}
	return []byte(`{"orders":[` + strings.Join(orders, ",") + `]}`)
}
