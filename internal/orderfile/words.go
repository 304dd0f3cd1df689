package orderfile

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// provinces are the provinces by their names, in English and French, without accents and blanks.
var provinces = map[string]string{
	"alberta": "AB", "britishcolumbia": "BC", "colombiebritannique": "BC", "manitoba": "MB", "newbrunswick": "NB",
	"nouveaubrunswick": "NB", "newfoundland": "NL", "newfoundlandandlabrador": "NL", "terreneuveetlabrador": "NL",
	"novascotia": "NS", "nouvelleecosse": "NS", "northwestterritories": "NT", "territoiresdunordouest": "NT",
	"nunavut": "NU", "ontario": "ON", "princeedwardisland": "PE", "ileduprinceedouard": "PE", "quebec": "QC",
	"saskatchewan": "SK", "yukon": "YT", "yukonterritory": "YT",
}

// provinceOf returns the code of a province by its code or name; any other text as it is.
func provinceOf(text string) string {
	upper := strings.ToUpper(strings.TrimPrefix(strings.ToUpper(text), "CA-"))
	for _, code := range delivery.Provinces {
		if upper == code {
			return code
		}
	}
	if code := provinces[csvfile.Folded(text)]; code != "" {
		return code
	}
	return text
}

// countryOf returns the code of the country that is served by its code or name; any other text as it is.
func countryOf(text string) string {
	if name := csvfile.Folded(text); name == "ca" || name == "can" || name == "canada" {
		return delivery.Country
	}
	return text
}

// levels are what people call the service levels, in English and French.
var levels = map[string]delivery.ServiceLevel{
	"standard": delivery.Standard, "express": delivery.Express, "sameday": delivery.SameDay,
	"lejourmeme": delivery.SameDay, "memejour": delivery.SameDay, "jourmeme": delivery.SameDay,
}

// levelOf returns a service level by its name; any other text as it is.
func levelOf(text string) string {
	if level := levels[csvfile.Folded(text)]; level != "" {
		return string(level)
	}
	return text
}

// phoneOf adds the country code to a Canadian phone number without it. Any other text is returned as it is.
func phoneOf(text string) string {
	if digits, ok := delivery.InternationalPhone(text); ok {
		return digits
	}
	return text
}

// postalCodeOf removes the apostrophe that Shopify puts in front of a postal code.
func postalCodeOf(text string) string { return strings.TrimPrefix(text, "'") }
