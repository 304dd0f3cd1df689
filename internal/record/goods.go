package record

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// writeReturn writes how the goods of an order come back that was given up after its pickup.
func writeReturn(w *strictjson.Writer, back *delivery.Return) {
	if back == nil {
		return
	}
	w.Object("return")
	w.Text("state", string(back.State))
	w.List("lines")
	for _, line := range back.Lines {
		w.Object("")
		w.Integer("product_id", line.ProductID)
		w.Integer("quantity", line.Quantity)
		w.Text("disposition", string(line.Disposition))
		w.EndObject()
	}
	w.EndList()
	if !back.ReceivedAt.IsZero() {
		w.Time("received_at", back.ReceivedAt)
	}
	w.EndObject()
}
