package page

// consolePartnersPhrases are those of the records of partners.
var consolePartnersPhrases = map[string]phrase{}
