// Package progress reports how far long work has come. The reporter is in the context, as
// in net/http/httptrace, so that the layers between it and the work need not know of it.
package progress

import "context"

// Reporter is called with the stage of the work, and how many of its units are done. The
// total is 0 if it is not known. Calls do not overlap.
type Reporter func(stage string, done, total int64)

type key struct{}

// With returns a context whose work is reported. Without one (nil), nothing is reported.
func With(ctx context.Context, to Reporter) context.Context {
	return context.WithValue(ctx, key{}, to)
}

// Wanted reports whether the context has a reporter, so that work can save the cost of
// knowing its total.
func Wanted(ctx context.Context) bool {
	to, ok := ctx.Value(key{}).(Reporter)
	return ok && to != nil
}

// Report reports progress if the context has a reporter. Work that runs on several
// goroutines reports on one of them.
func Report(ctx context.Context, stage string, done, total int64) {
	if Wanted(ctx) {
		ctx.Value(key{}).(Reporter)(stage, done, total)
	}
}
