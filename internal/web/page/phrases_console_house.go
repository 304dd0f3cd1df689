package page

// consoleHousePhrases are those of the audit log and the state of the installation.
var consoleHousePhrases = map[string]phrase{}
