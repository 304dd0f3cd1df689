package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// lastChange returns the latest change of an object that the audit log has, as far as the
// reader may know of it; nil if there is none. Partners read the names of their own people
// only: those of operators stay empty. Operators read the addresses of operators.
func (a *App) lastChange(v *web.PageRequest, objectID string) (*page.Change, error) {
	filter := operator.AuditFilter{ObjectID: objectID, Limit: 20}
	user := partner.MemberOf(v.Principal)
	if user != nil {
		filter.PartnerID = user.Partner.PartnerID
	}
	found, err := a.operators.Audit(v.Context(), filter)
	if err != nil {
		return nil, err
	}
	// what people do about their sign-in is another matter
	at := slices.IndexFunc(found.Entries, func(e *operator.Audited) bool {
		return strings.HasSuffix(string(e.Action), ".changed") && !strings.HasPrefix(string(e.Action), "password.")
	})
	if at < 0 {
		return nil, nil
	}
	entry := found.Entries[at]
	change := &page.Change{PersonID: entry.OperatorID, At: entry.At}
	if user == nil {
		change.Name, err = a.operatorEmail(v.Context(), entry.OperatorID)
		return change, err
	}
	change.Name, err = a.nameInTeam(v.Context(), filter.PartnerID, entry.OperatorID)
	if change.Name == "" && strings.HasPrefix(entry.OperatorID, "usr_") { // has left the team
		return nil, err
	}
	return change, err
}

// nameInTeam returns the name of a person of a partner; empty for others.
func (a *App) nameInTeam(ctx context.Context, partnerID, userID string) (string, error) {
	team, err := a.partners.Team(ctx, partnerID)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(team.Users, func(u partner.User) bool { return u.UserID == userID })
	if at < 0 {
		return "", nil
	}
	return cmp.Or(team.Users[at].Name, team.Users[at].Email), nil
}

// operatorEmail returns the address of an operator. What is none, such as a person of a
// partner or the command line, is named by its id.
func (a *App) operatorEmail(ctx context.Context, operatorID string) (string, error) {
	found, err := a.operators.Operator(ctx, operatorID)
	switch {
	case refusal.HasCode(err, refusal.CodeNotFound):
		return operatorID, nil
	case err != nil:
		return "", err
	}
	return found.Email, nil
}
