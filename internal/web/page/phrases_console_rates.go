package page

// consoleRatesPhrases are those of rate cards.
var consoleRatesPhrases = map[string]phrase{}
