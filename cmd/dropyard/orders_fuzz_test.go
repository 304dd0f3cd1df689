package main

import (
	"encoding/json"
	"testing"

	"github.com/dropyard/dropyard/internal/orderfile"
)

// FuzzReadOrders: any file is refused, or read as orders with references that differ, each
// of which can be sent.
func FuzzReadOrders(f *testing.F) {
	const columns = "partner_order_id,service_level,pickup.name,dropoff.name,parcel_id,weight_kg,fragile,metadata,product_id,quantity\n"
	for _, file := range []string{
		columns + "A-1,same_day,Shop,Zoe,p1,1.5,true,\"{\"\"a\"\":1}\",7,2\nA-1,,,,p2,2,,,,\n",
		columns + "A-1,x,y,z,p1,1e5,maybe,[],-1,0\n,,,,,,,,,\n", "partner_order_id;weight_kg\n", "\xff\n", "",
	} {
		f.Add([]byte(file))
	}
	defaults := map[string]string{}
	for _, field := range orderfile.Fields {
		if field.MayDefault() {
			defaults[field.Name] = "x"
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := readOrders(content, defaults)
		if err != nil {
			return
		}
		references := map[string]bool{}
		for _, order := range file.Orders {
			if _, err := json.Marshal(order.Body); err != nil || references[order.Reference] || order.Line < 2 {
				t.Fatalf("%q: got order %+v, %v, want one of its reference that can be sent", content, order, err)
			}
			references[order.Reference] = true
		}
		for _, fault := range file.Faults {
			if fault.Line < 2 || fault.Message() == "" {
				t.Fatalf("%q: got fault %+v, want a line after the header and what is wrong", content, fault)
			}
		}
	})
}
