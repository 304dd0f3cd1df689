package pagetest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/pquerna/otp/totp"
)

// secured returns the name of the operator with a second factor whose recovery codes are
// shown in a language.
func secured(l page.Language) string { return "guard-" + string(l) }

// accountScenes returns those of the pages on which people manage their own sign-in. beside
// is the address of answered.
func (h *house) accountScenes(beside string) (scenes []Scene) {
	add := func(name, address, cookie string) {
		scenes = append(scenes, Scene{Name: "self-" + name, URL: address, Policy: page.Policy, Cookie: cookie})
	}
	for _, one := range []struct{ name, who, path string }{
		{"portal", owner, "/portal/sign-in"},
		{"portal-factor", teamDeveloper, "/portal/sign-in"},
		{"portal-must", teamClerk, "/portal"},
		{"portal-hostile", hostiles, "/portal/sign-in"},
		{"portal-name", owner, "/portal/sign-in/name"},
		{"portal-name-hostile", hostiles, "/portal/sign-in/name"},
		{"portal-password", owner, "/portal/sign-in/password"},
		{"portal-email", owner, "/portal/sign-in/email"},
		{"portal-begin", owner, "/portal/sign-in/factor"},
		{"portal-remove", teamDeveloper, "/portal/sign-in/factor"},
	} {
		add(one.name, h.url+one.path, sessionCookie+"="+h.cookies[one.who])
	}
	for _, one := range []struct{ name, who, path string }{
		{"console", dispatcher, "/console/sign-in"},
		{"console-must", storekeep, "/console"},
		{"console-factor", secured(page.English), "/console/sign-in"},
		{"console-password", dispatcher, "/console/sign-in/password"},
		{"console-begin", storekeep, "/console/sign-in/factor"},
		{"console-remove", secured(page.English), "/console/sign-in/factor"},
		{"courier", rider, "/courier/sign-in"},
		{"courier-begin", rider, "/courier/sign-in/factor"},
	} {
		add(one.name, h.url+one.path, h.operatorSession(one.who))
	}
	for _, name := range []string{
		"portal-name-faults", "console-password-faults", "console-secret", "console-code-wrong", "console-codes",
		"courier-secret",
	} {
		add(name, beside+"/answered/self-"+name, "")
	}
	return scenes
}

// operatorSession returns the cookie of an operator.
func (h *house) operatorSession(who string) string {
	return operatorCookie + "=" + h.logins.operators[who]
}

// addSecured adds an operator for each language, keeps the pages by which each of them sets
// up a second factor, and the answers to forms that are refused.
func (h *house) addSecured(ctx context.Context) error {
	for _, language := range page.Languages {
		who := secured(language)
		if err := h.addOperator(ctx, client.OperatorRequest{Email: who, Role: client.OperatorAdmin}); err != nil {
			return err
		}
		owners := sessionCookie + "=" + h.cookies[owner]
		for _, sent := range []struct {
			scene, path, cookie string
			fields              url.Values
		}{
			{"portal-name-faults", "/portal/sign-in/name", owners, url.Values{"name": {""}}},
			{"console-password-faults", "/console/sign-in/password", h.operatorSession(who), url.Values{
				"current_password": {housePassword}, "new_password": {"dropyard"},
			}},
			{"courier-secret", "/courier/sign-in/factor", h.operatorSession(rider), url.Values{"password": {housePassword}}},
		} {
			if _, err := h.keep(ctx, "self-"+sent.scene, sent.path, sent.cookie, language, sent.fields); err != nil {
				return err
			}
		}
		if err := h.enrolSecured(ctx, language); err != nil {
			return err
		}
	}
	return nil
}

var secretOnPage = regexp.MustCompile(`data-copy="([A-Z2-7]{32})"`)

// enrolSecured keeps the pages by which an operator sets up a second factor.
func (h *house) enrolSecured(ctx context.Context, language page.Language) error {
	const path = "/console/sign-in/factor"
	cookie := h.operatorSession(secured(language))
	begun, err := h.keep(ctx, "self-console-secret", path, cookie, language, url.Values{"password": {housePassword}})
	if err != nil {
		return err
	}
	secret := secretOnPage.FindSubmatch(begun.body)
	if secret == nil {
		return fmt.Errorf("the page of a second factor has no secret: status %d", begun.status)
	}
	code, err := totp.GenerateCode(string(secret[1]), h.clock.Now())
	if err != nil {
		return err
	}
	if _, err := h.keep(ctx, "self-console-code-wrong", path+"/confirm", cookie, language,
		url.Values{"code": {"000000"}}); err != nil {
		return err
	}
	done, err := h.keep(ctx, "self-console-codes", path+"/confirm", cookie, language, url.Values{"code": {code}})
	if err == nil && done.status != http.StatusOK {
		err = fmt.Errorf("set up a second factor: status %d", done.status)
	}
	return err
}

// keep sends a form, and keeps the answer as a scene.
func (h *house) keep(
	ctx context.Context, scene, path, cookie string, language page.Language, fields url.Values,
) (answer, error) {
	fields.Set("_key", fmt.Sprintf("%032x", len(h.logins.answers)+1))
	found, err := h.post(ctx, path, cookie, fields, language)
	h.logins.answers[scene+"/"+string(language)] = found
	return found, err
}
