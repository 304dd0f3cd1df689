package page

// consoleOperatorsPhrases are those of operators and settings.
var consoleOperatorsPhrases = map[string]phrase{}
