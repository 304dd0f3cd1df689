package zone

import "time"

// french has the abbreviations of Canada's time zones that are used in French, by those of
// the data, which are English.
var french = map[string]string{
	"NST": "HNT", "NDT": "HAT", // Newfoundland
	"AST": "HNA", "ADT": "HAA", // Atlantic
	"EST": "HNE", "EDT": "HAE", // Eastern
	"CST": "HNC", "CDT": "HAC", // Central
	"MST": "HNR", "MDT": "HAR", // Mountain
	"PST": "HNP", "PDT": "HAP", // Pacific
}

// Abbreviation returns the abbreviation in English of the zone of a time, such as EST.
func Abbreviation(at time.Time) string { return at.Format("MST") }

// InFrench returns what an abbreviation such as EST is in French. One of another zone, such as
// UTC, is the same in both languages.
func InFrench(abbreviation string) string {
	if own := french[abbreviation]; own != "" {
		return own
	}
	return abbreviation
}
