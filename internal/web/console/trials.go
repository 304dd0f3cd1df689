package console

import (
	"context"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Trial tries a setting that names another server or a folder, as the service itself uses it.
type Trial struct {
	// Name selects the trial, and the phrases for it. It is mail, openid or storage.
	Name string
	// Target is what the setting names, without secrets; empty if it is not set.
	Target string
	// Flag is the setting.
	Flag string
	// Alone is the path of a page that tries what only a person can; empty if there is none.
	Alone string
	// Run tries it for the operator with the address, who reads the language. The error is a refusal if the
	// trial was not made.
	Run func(ctx context.Context, email string, language page.Language) (TrialResult, error)
}

// TrialResult is what a trial has shown.
type TrialResult struct {
	Failed bool
	Words  []string // of the other side, or of the program; without secrets
}

// trialTexts are the phrases for the names of trials, and trialButtons those for the buttons that make them.
var (
	trialTexts = map[string]string{
		"mail": "system.trial.mail", "openid": "system.trial.openid", "storage": "system.trial.storage",
	}
	trialButtons = map[string]string{
		"mail": "system.trial.mail.button", "openid": "system.trial.openid.button",
		"storage": "system.trial.storage.button",
	}
)

// trialRow is a trial on the page, with its result if it was just made.
type trialRow struct {
	Trial
	Title, Button string
	Result        *TrialResult
}

// trialField names the trial that a form asks for.
const trialField = "trial"

// addTrials adds the trials to the page, with the result of the one that was made.
func (v *systemView) addTrials(made string, result *TrialResult) (err error) {
	for _, trial := range v.pages.config.Trials {
		row := trialRow{Trial: trial, Title: v.Text(trialTexts[trial.Name]), Button: v.Text(trialButtons[trial.Name])}
		if trial.Name == made {
			row.Result = result
		}
		v.Trials = append(v.Trials, row)
	}
	v.Try, err = v.form(systemPath, 0)
	return err
}

// try makes a trial and shows the page with its result.
func (pages *Pages) try(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	name := sent.Values.Get(trialField)
	for _, trial := range pages.config.Trials {
		if trial.Name != name || trial.Target == "" {
			continue
		}
		result, err := trial.Run(s.Context(), s.Operator.Email, s.Language)
		if err != nil {
			return 0, nil, err
		}
		status := http.StatusOK
		if result.Failed {
			status = http.StatusUnprocessableEntity
		}
		return pages.showSystem(s, status, name, &result)
	}
	return 0, nil, refusal.New(refusal.CodeBadRequest, "the form names no setting that can be tried")
}
