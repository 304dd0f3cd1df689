package partner

import (
	"fmt"
	"slices"
	"strings"

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
	PermissionLogsRead     Permission = "logs.read"     // the request log
	PermissionMoneyRead    Permission = "money.read"    // statements, and what was charged since
	PermissionKeys         Permission = "keys"          // list, create and revoke API keys
	PermissionAccountRead  Permission = "account.read"  // the profile
	PermissionAccount      Permission = "account"       // change the profile and the logo
	PermissionTeamRead     Permission = "team.read"     // people and open invitations
	PermissionTeam         Permission = "team"          // invite, change, remove
)

// Scope says what an API key may do. A key has some scopes or none, and without any
// it has every permission that some scope has, and PermissionMoneyRead: a key that was made to read
// orders does not show money.
type Scope string

// The scopes of API keys. Each one but ScopeRead includes reading what it changes.
const (
	ScopeOrders   Scope = "orders"
	ScopeStock    Scope = "stock"
	ScopeWebhooks Scope = "webhooks"
	ScopeRead     Scope = "read" // everything that a key can read
)

// Scopes lists all scopes.
var Scopes = []Scope{ScopeOrders, ScopeStock, ScopeWebhooks, ScopeRead}

// grant says who has a permission.
type grant struct {
	roles  []Role
	scopes []Scope // those that have the permission
	// unscoped is set for what API keys without scopes may do although no scope includes it.
	unscoped bool
}

// everyone is every role.
var everyone = Roles

// permitted holds who has each permission.
var permitted = map[Permission]grant{
	PermissionSelf:         {roles: everyone},
	PermissionOrdersRead:   {roles: everyone, scopes: []Scope{ScopeOrders, ScopeRead}},
	PermissionOrders:       {roles: []Role{RoleOwner, RoleDeveloper, RoleClerk}, scopes: []Scope{ScopeOrders}},
	PermissionStockRead:    {roles: everyone, scopes: []Scope{ScopeStock, ScopeRead}},
	PermissionWebhooksRead: {roles: everyone, scopes: []Scope{ScopeWebhooks, ScopeRead}},
	PermissionWebhooks:     {roles: []Role{RoleOwner, RoleDeveloper}, scopes: []Scope{ScopeWebhooks}},
	PermissionLogsRead:     {roles: everyone, scopes: []Scope{ScopeRead}},
	PermissionMoneyRead:    {roles: []Role{RoleOwner, RoleClerk}, unscoped: true},
	PermissionKeys:         {roles: []Role{RoleOwner, RoleDeveloper}},
	PermissionAccountRead:  {roles: everyone},
	PermissionAccount:      {roles: []Role{RoleOwner}},
	PermissionTeamRead:     {roles: everyone},
	PermissionTeam:         {roles: []Role{RoleOwner}},
}

// May returns nil if a role has a permission, and refuses with forbidden otherwise.
func (r Role) May(p Permission) error {
	if slices.Contains(permitted[p].roles, r) {
		return nil
	}
	return refusal.New(refusal.CodeForbidden, fmt.Sprintf("the role %s may not do this", r))
}

// May returns nil if a key has a permission, and refuses with forbidden otherwise. It
// is called for every signed request, and allocates nothing unless it refuses.
func (k *SigningKey) May(p Permission) error {
	allowed := permitted[p].scopes
	if len(k.Scopes) == 0 && (len(allowed) > 0 || permitted[p].unscoped) {
		return nil
	}
	for _, scope := range k.Scopes {
		if slices.Contains(allowed, scope) {
			return nil
		}
	}
	return refusal.New(refusal.CodeForbidden,
		fmt.Sprintf("the scopes of this API key (%s) do not permit this", joinScopes(k.Scopes)))
}

func joinScopes(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}
