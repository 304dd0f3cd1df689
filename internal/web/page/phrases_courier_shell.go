package page

// courierShellPhrases are those of the app's menu, its installation and signing out.
var courierShellPhrases = map[string]phrase{}
