package page

// consoleStockPhrases are those of the warehouse.
var consoleStockPhrases = map[string]phrase{}
