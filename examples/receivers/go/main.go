// Command go receives webhooks with net/http. The README beside it says how to run it.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/dropyard/dropyard/client"
)

func main() {
	http.Handle("/hooks", client.Webhooks(os.Getenv("WEBHOOK_SECRET"), receive))
	var listen net.ListenConfig
	listener, err := listen.Listen(context.Background(), "tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/hooks\n", listener.Addr())
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

// receive stores an event; if that fails, the service sends it again.
func receive(_ context.Context, event *client.Event) error {
	fmt.Println("received", event.Type) // in production, store it under its ID, unless it is stored already
	return nil
}
