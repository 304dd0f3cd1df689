package main

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// connectionsAttack holds connections open by sending a header byte by byte.
type connectionsAttack struct {
	attackFlags
	Connections int `default:"2000" help:"Number of connections."`
}

// Run attacks, and prints the report.
func (c *connectionsAttack) Run(ctx context.Context) error {
	return c.run(ctx, "connections", c.attack)
}

func (c *connectionsAttack) attack(ctx context.Context, t *target, count counter) error {
	var begun, open sync.WaitGroup
	begun.Add(c.Connections)
	for range c.Connections {
		open.Go(func() {
			var dialer net.Dialer
			conn, err := dialer.DialContext(ctx, "tcp", t.address)
			begun.Done()
			if err != nil {
				count("connections refused", 1)
				return
			}
			count("connections ended by the service", drip(ctx, conn))
		})
	}
	begun.Wait()
	count("connections begun", c.Connections)
	open.Wait()
	return nil
}

// drip sends a header byte by byte until the context or the connection ends, and
// returns 1 if it was the connection.
func drip(ctx context.Context, conn net.Conn) int {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	header := []byte("GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
	for i := 0; ctx.Err() == nil; i++ {
		next := byte('a')
		if i < len(header) {
			next = header[i]
		}
		if _, err := conn.Write([]byte{next}); err != nil {
			break
		}
		_ = pace.Pause(ctx, time.Second/2)
	}
	if ctx.Err() != nil {
		return 0
	}
	_ = conn.Close()
	return 1
}
