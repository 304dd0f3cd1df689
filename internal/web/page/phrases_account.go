package page

// accountPhrases are those of people's own sign-in.
var accountPhrases = map[string]phrase{}
