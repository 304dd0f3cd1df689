package client_test

import "github.com/dropyard/dropyard/client"

// operatorMethods are the methods that call the operations of the operator interface.
var operatorMethods = map[string]any{
	"GET /ops.yaml":                            (*client.Service).GetOps,
	"POST /ops/v1/tokens":                      (*client.Service).CreateToken,
	"GET /ops/v1/tokens":                       (*client.Operator).ListTokens,
	"DELETE /ops/v1/tokens/{}":                 (*client.Operator).RevokeToken,
	"POST /ops/v1/login":                       (*client.Service).LoginOperator,
	"POST /ops/v1/logout":                      (*client.Operator).Logout,
	"GET /ops/v1/me":                           (*client.Operator).GetOperator,
	"GET /ops/v1/operators":                    (*client.Operator).ListOperators,
	"POST /ops/v1/operators":                   (*client.Operator).CreateOperator,
	"PATCH /ops/v1/operators/{}":               (*client.Operator).ChangeOperator,
	"GET /ops/v1/partners":                     (*client.Operator).ListPartners,
	"GET /ops/v1/partners/{}":                  (*client.Operator).GetPartner,
	"PATCH /ops/v1/partners/{}":                (*client.Operator).ChangePartner,
	"POST /ops/v1/partners/{}/approve":         (*client.Operator).ApprovePartner,
	"GET /ops/v1/partners/{}/dispatch":         (*client.Operator).GetDispatchSettings,
	"PUT /ops/v1/partners/{}/dispatch":         (*client.Operator).PutDispatchSettings,
	"GET /ops/v1/rate-cards":                   (*client.Operator).ListRateCards,
	"POST /ops/v1/rate-cards":                  (*client.Operator).CreateRateCard,
	"POST /ops/v1/rate-cards/validate":         (*client.Operator).ValidateRateCard,
	"POST /ops/v1/rate-cards/preview":          (*client.Operator).PreviewRateCard,
	"GET /ops/v1/rate-cards/{}":                (*client.Operator).GetRateCard,
	"GET /ops/v1/audit":                        (*client.Operator).ListAudit,
	"GET /ops/v1/couriers":                     (*client.Operator).ListCouriers,
	"POST /ops/v1/couriers":                    (*client.Operator).CreateCourier,
	"GET /ops/v1/couriers/{}":                  (*client.Operator).GetCourier,
	"PATCH /ops/v1/couriers/{}":                (*client.Operator).ChangeCourier,
	"GET /ops/v1/jobs":                         (*client.Operator).ListJobs,
	"GET /ops/v1/scan":                         (*client.Operator).ScanLabel,
	"GET /ops/v1/orders":                       (*client.Operator).ListBoard,
	"GET /ops/v1/orders/{}":                    (*client.Operator).GetOrderRecord,
	"POST /ops/v1/orders/{}/proofs":            (*client.Operator).AddProof,
	"POST /ops/v1/orders/{}/notes":             (*client.Operator).AddOrderNote,
	"POST /ops/v1/orders/{}/status":            (*client.Operator).ChangeOrderStatus,
	"POST /ops/v1/orders/status":               (*client.Operator).ChangeOrderStatuses,
	"GET /ops/v1/attention":                    (*client.Operator).GetAttention,
	"GET /ops/v1/partners/{}/products":         (*client.Operator).ListCatalogue,
	"POST /ops/v1/partners/{}/products":        (*client.Operator).CreateProduct,
	"GET /ops/v1/partners/{}/products/export":  (*client.Operator).ExportProducts,
	"POST /ops/v1/partners/{}/products/import": (*client.Operator).ImportProducts,
	"GET /ops/v1/partners/{}/products/{}":      (*client.Operator).GetProduct,
	"PATCH /ops/v1/partners/{}/products/{}":    (*client.Operator).ChangeProduct,
	"GET /ops/v1/partners/{}/movements":        (*client.Operator).ListJournal,
	"POST /ops/v1/partners/{}/movements":       (*client.Operator).CreateMovement,
	"POST /ops/v1/partners/{}/counts":          (*client.Operator).CreateCount,
	"GET /ops/v1/low-stock":                    (*client.Operator).ListLowStock,
}

// operatorWithoutMethod are the operations that have no method, each with the reason.
var operatorWithoutMethod = map[string]string{
	"GET /ops.json":             "GET /ops.yaml has the same document",
	"GET /ops/v1/oidc/login":    "a browser follows it to the provider",
	"GET /ops/v1/oidc/callback": "a browser returns to it from the provider",
}
