package partner

import (
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Role says what a user may do. Each role may do what the next one may, and more.
type Role string

// The roles of users.
const (
	RoleOwner     Role = "owner"     // everything, and the team
	RoleDeveloper Role = "developer" // also API keys and webhooks
	RoleClerk     Role = "clerk"     // also orders and stock
	RoleReader    Role = "reader"    // reads, and changes nothing
)

// Roles lists all roles.
var Roles = []Role{RoleOwner, RoleDeveloper, RoleClerk, RoleReader}

// Permission is what a route of the partner interface needs. Routes name the
// permission that they need; docs/accounts.md has the table for readers.
type Permission string

// The permissions.
const (
	PermissionSelf         Permission = "self"          // one's own sign-in
	PermissionOrdersRead   Permission = "orders.read"   // orders and their lists
	PermissionOrders       Permission = "orders"        // quote, create, cancel, label
	PermissionStockRead    Permission = "stock.read"    // products and movements
	PermissionWebhooksRead Permission = "webhooks.read" // endpoint, events, feed
	PermissionWebhooks     Permission = "webhooks"      // configure, rotate, test, redeliver
	PermissionKeys         Permission = "keys"          // list, create and revoke API keys
)

// everyone is every role.
var everyone = Roles

// permitted holds the roles that have each permission.
var permitted = map[Permission][]Role{
	PermissionSelf:         everyone,
	PermissionOrdersRead:   everyone,
	PermissionOrders:       {RoleOwner, RoleDeveloper, RoleClerk},
	PermissionStockRead:    everyone,
	PermissionWebhooksRead: everyone,
	PermissionWebhooks:     {RoleOwner, RoleDeveloper},
	PermissionKeys:         {RoleOwner, RoleDeveloper},
}

// May returns nil if a role has a permission, and refuses with forbidden otherwise.
func (r Role) May(p Permission) error {
	if slices.Contains(permitted[p], r) {
		return nil
	}
	return refusal.New(refusal.CodeForbidden, fmt.Sprintf("the role %s may not do this", r))
}
