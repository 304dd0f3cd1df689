package account

import "strings"

// deviceOf returns the browser and the system that a User-Agent names, such as "Firefox,
// Windows"; its first word if it names none, as programs do.
func deviceOf(agent string) string {
	var names []string
	for _, list := range [][]known{browsers, systems} {
		for _, one := range list {
			if strings.Contains(agent, one.mark) {
				names = append(names, one.name)
				break
			}
		}
	}
	if len(names) == 0 {
		first, _, _ := strings.Cut(agent, " ")
		return first
	}
	return strings.Join(names, ", ")
}

// known is a program that is known by a mark in its User-Agent.
type known struct{ mark, name string }

// browsers and systems are in the order in which they are looked for: browsers name
// those that they are compatible with, and phones name the system that theirs descends
// from.
var (
	browsers = []known{{"Edg", "Edge"}, {"OPR/", "Opera"}, {
		"SamsungBrowser/", "Samsung Internet",
	}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems = []known{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)
