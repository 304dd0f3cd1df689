package shared

import (
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

// Partner is a partner in JSON.
type Partner struct {
	PartnerID string    `json:"partner_id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"created_at"`
}

// PartnerOf returns a partner in JSON.
func PartnerOf(p *partner.Partner) Partner {
	return Partner{p.PartnerID, p.Name, p.Email, p.CreatedAt}
}

// User is one of a partner's people in JSON.
type User struct {
	UserID string       `json:"user_id"`
	Email  string       `json:"email"`
	Name   string       `json:"name"`
	Role   partner.Role `json:"role"`

	EmailConfirmed bool `json:"email_confirmed"`
}

// UserOf returns one of a partner's people in JSON.
func UserOf(u *partner.User) User {
	return User{u.UserID, u.Email, u.Name, u.Role, u.Confirmed()}
}
