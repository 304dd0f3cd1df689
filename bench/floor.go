package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// floorCommand is the bare floor, in a process of its own: net/http, the signature,
// encoding/json into a map, and an answer of 1.5 kB. Nothing is validated, priced or
// stored.
type floorCommand struct{}

// floorAccount is who signs the requests to the floor.
var floorAccount = account{PartnerID: "par_00000000", PublicKey: "pk_floor", Secret: "sk_floor"}

// floorAnswer is the size of every answer, that of an order's record.
const floorAnswer = 1500

// Run serves until the standard input ends.
func (floorCommand) Run(ctx context.Context) error {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	record, err := json.Marshal(map[string]string{"order_id": "ord_floor", "record": string(bytes.Repeat([]byte("x"),
		floorAnswer))})
	if err != nil {
		return err
	}
	server := &http.Server{Handler: floorHandler(record[:floorAnswer]), ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := json.NewEncoder(os.Stdout).Encode(announcement{Address: listener.Addr().String()}); err != nil {
		return err
	}
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// floorHandler answers signed requests with the record, and others with 401.
func floorHandler(record []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !floorVerify(r, body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		status := http.StatusOK
		if r.Method == http.MethodPost {
			var order map[string]any
			if json.Unmarshal(body, &order) != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			status = http.StatusCreated
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(record)))
		w.WriteHeader(status)
		_, _ = w.Write(record)
	})
}

func floorVerify(r *http.Request, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(floorAccount.Secret))
	_, _ = io.WriteString(mac, r.Header.Get("X-Timestamp")+"\n"+r.Method+"\n"+r.URL.EscapedPath()+"\n")
	mac.Write(body)
	want := "v1=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(want), []byte(r.Header.Get("X-Signature")))
}
