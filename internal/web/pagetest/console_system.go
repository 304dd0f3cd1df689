package pagetest

import (
	"context"
	"net/url"
)

// keepTrials keeps the page of the installation with the result of a trial.
func (h *house) keepTrials(ctx context.Context) error {
	return h.keepAll(ctx, []sent{{"system-tried", "/console/system", url.Values{"trial": {"storage"}}}})
}
