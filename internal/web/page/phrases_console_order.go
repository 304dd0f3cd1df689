package page

// consoleOrderPhrases are those of the page of an order.
var consoleOrderPhrases = map[string]phrase{}
