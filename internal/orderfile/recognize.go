package orderfile

import (
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// Format is the program that wrote a file.
type Format string

// The formats.
const (
	FormatOwn         Format = "own" // the columns are the names of fields
	FormatShopify     Format = "shopify"
	FormatWooCommerce Format = "woocommerce"
	FormatOther       Format = "other" // a spreadsheet of people
)

// Mapping holds the field of each column of a file; empty for a column that is not read.
type Mapping []string

// has reports whether a column is mapped to a field.
func (m Mapping) has(field string) bool { return slices.Contains(m, field) }

// formatOf returns the format of a file by its header.
func formatOf(titles []string) Format {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return !slices.ContainsFunc(titles, func(title string) bool { return csvfile.Folded(title) == name })
		})
	}
	for _, title := range titles {
		if _, known := FindField(title); known && strings.Contains(title, ".") {
			return FormatOwn
		}
	}
	switch {
	case has("lineitemname", "shippingname"), has("lineitemquantity", "financialstatus"):
		return FormatShopify
	case has("shippingfirstname"), has("firstnameshipping"), has("shippingpostcode"), has("postcodeshipping"):
		return FormatWooCommerce
	default:
		return FormatOther
	}
}

// Propose returns the mapping by the titles of the columns. Titles of kept are mapped as it says.
func (f *File) Propose(kept map[string]string) Mapping {
	mapping := make(Mapping, len(f.Titles))
	for i, title := range f.Titles {
		if field, found := kept[title]; found {
			if _, known := FindField(field); known || field == "" {
				mapping[i] = field
				continue
			}
		}
		mapping[i] = f.recognize(title)
	}
	return mapping
}

// titles are the columns of each format besides the names of fields.
var titles = map[Format]map[string]string{
	FormatShopify: shopify, FormatWooCommerce: wooCommerce, FormatOther: people,
}

// recognize returns the field of a column by its title; empty if that is not known. Some titles are also names of
// fields with another meaning: in a spreadsheet a quantity is that of an article, unless there are products of the
// stock.
func (f *File) recognize(title string) string {
	_, isField := FindField(title)
	ofStock := isField && f.Format == FormatOther && slices.ContainsFunc(f.Titles, func(title string) bool {
		return title == "product_id" || title == "product_sku" || title == "product_barcode"
	})
	if field, found := titles[f.Format][csvfile.Folded(title)]; found && !ofStock {
		return field
	}
	if isField {
		return title
	}
	return ""
}

// shopify are the columns of an order export of Shopify, which has a line for each article.
var shopify = map[string]string{
	"name": "partner_order_id", "email": "dropoff.email", "shippingname": "dropoff.name",
	"shippingaddress1": "dropoff.address.line1", "shippingstreet": "dropoff.address.line1",
	"shippingaddress2": "dropoff.address.line2", "shippingcity": "dropoff.address.city",
	"shippingzip": "dropoff.address.postal_code", "shippingprovince": "dropoff.address.province",
	"shippingcountry": "dropoff.address.country", "shippingphone": "dropoff.phone", "phone": "dropoff.phone",
	"billingphone": "dropoff.phone", "notes": "instructions",
	"lineitemname": ContentsName, "lineitemquantity": ContentsQuantity,
}

// fallbacks are columns of shops that are read where a better one of the same field is empty.
var fallbacks = []string{"shippingstreet", "billingphone", "phone", "phonebilling"}

// firstNames are columns that are read in front of others of the same field: those of last names.
var firstNames = []string{"firstname", "prenom", "shippingfirstname", "firstnameshipping"}

// columns returns the columns that are mapped to each field, the better ones first.
func (f *File) columns(mapping Mapping) map[string][]int {
	columns := map[string][]int{}
	for i, field := range mapping {
		columns[field] = append(columns[field], i)
	}
	rank := func(column int) int {
		switch title := csvfile.Folded(f.Titles[column]); {
		case slices.Contains(firstNames, title):
			return -1
		case slices.Contains(fallbacks, title):
			return 1
		default:
			return 0
		}
	}
	for _, same := range columns {
		slices.SortStableFunc(same, func(a, b int) int { return rank(a) - rank(b) })
	}
	return columns
}

// wooCommerce are the columns of the usual order exports of WooCommerce: of its own plugin, of WebToffee's, and
// of Advanced Order Export.
var wooCommerce = map[string]string{
	"ordernumber": "partner_order_id", "ordernumberformatted": "partner_order_id",
	"shippingfirstname": "dropoff.name", "shippinglastname": "dropoff.name",
	"firstnameshipping": "dropoff.name", "lastnameshipping": "dropoff.name",
	"shippingaddress1": "dropoff.address.line1", "address1shipping": "dropoff.address.line1",
	"address12shipping": "dropoff.address.line1", "shippingaddress2": "dropoff.address.line2",
	"address2shipping": "dropoff.address.line2", "shippingcity": "dropoff.address.city",
	"cityshipping": "dropoff.address.city", "shippingstate": "dropoff.address.province",
	"shippingstatecode": "dropoff.address.province", "statecodeshipping": "dropoff.address.province",
	"stateshipping": "dropoff.address.province", "shippingpostcode": "dropoff.address.postal_code",
	"postcodeshipping": "dropoff.address.postal_code", "shippingcountry": "dropoff.address.country",
	"countrycodeshipping": "dropoff.address.country", "countryshipping": "dropoff.address.country",
	"shippingphone": "dropoff.phone", "phoneshipping": "dropoff.phone", "billingphone": "dropoff.phone",
	"phonebilling": "dropoff.phone", "billingemail": "dropoff.email", "emailbilling": "dropoff.email",
	"customernote": "instructions", "customernotes": "instructions", "itemname": ContentsName,
	"itemquantity": ContentsQuantity,
	"quantity":     ContentsQuantity, "productname": ContentsName,
	"productid": "", // the shop's, not that of the stock here
}

// people are titles that people write, in English and French. Those of the template are among them.
var people = map[string]string{
	"ordernumber": "partner_order_id", "order": "partner_order_id", "orderno": "partner_order_id",
	"orderid": "partner_order_id", "numerodecommande": "partner_order_id", "nodecommande": "partner_order_id",
	"ndecommande": "partner_order_id", "commande": "partner_order_id", "nocommande": "partner_order_id",
	"numerocommande": "partner_order_id", "number": "partner_order_id", "numero": "partner_order_id",
	"servicelevel": "service_level", "service": "service_level", "niveaudeservice": "service_level",
	"recipient": "dropoff.name", "name": "dropoff.name", "fullname": "dropoff.name", "customer": "dropoff.name",
	"firstname": "dropoff.name", "lastname": "dropoff.name", "destinataire": "dropoff.name", "nom": "dropoff.name",
	"nomcomplet": "dropoff.name", "client": "dropoff.name", "prenom": "dropoff.name", "nomdefamille": "dropoff.name",
	"phone": "dropoff.phone", "phonenumber": "dropoff.phone", "telephone": "dropoff.phone", "tel": "dropoff.phone",
	"mobile": "dropoff.phone", "cell": "dropoff.phone",
	"cellulaire": "dropoff.phone", //nolint:misspell // French
	"email":      "dropoff.email", "emailaddress": "dropoff.email", "mail": "dropoff.email", "courriel": "dropoff.email",
	"adressecourriel": "dropoff.email", "adresseemail": "dropoff.email",
	"address": "dropoff.address.line1", "street": "dropoff.address.line1", "address1": "dropoff.address.line1",
	"addressline1": "dropoff.address.line1", "streetaddress": "dropoff.address.line1", "adresse": "dropoff.address.line1",
	"rue": "dropoff.address.line1", "adresse1": "dropoff.address.line1",
	"apartment": "dropoff.address.line2", "unit": "dropoff.address.line2", "address2": "dropoff.address.line2",
	"addressline2": "dropoff.address.line2", "appartement": "dropoff.address.line2", "app": "dropoff.address.line2",
	"adresse2": "dropoff.address.line2", "bureau": "dropoff.address.line2", "complement": "dropoff.address.line2",
	"city": "dropoff.address.city", "town": "dropoff.address.city", "ville": "dropoff.address.city",
	"province": "dropoff.address.province", "state": "dropoff.address.province", "prov": "dropoff.address.province",
	"postalcode": "dropoff.address.postal_code", "postcode": "dropoff.address.postal_code",
	"zip": "dropoff.address.postal_code", "zipcode": "dropoff.address.postal_code",
	"codepostal": "dropoff.address.postal_code", "cp": "dropoff.address.postal_code",
	"country": "dropoff.address.country", "pays": "dropoff.address.country",
	"accesscode": "dropoff.address.notes", "addressnotes": "dropoff.address.notes", "acces": "dropoff.address.notes",
	"instructions": "instructions", "notes": "instructions", "note": "instructions", "remarques": "instructions",
	"deliveryinstructions": "instructions", "consignes": "instructions", "directives": "instructions",
	"reference":      "reference",
	"deliverybefore": "dropoff.time_window.end", "deliveryafter": "dropoff.time_window.start",
	"deliverystart": "dropoff.time_window.start", "deliveryend": "dropoff.time_window.end",
	"livraisondebut": "dropoff.time_window.start", "livraisonfin": "dropoff.time_window.end",
	"pickupstart": "pickup.time_window.start", "pickupend": "pickup.time_window.end",
	"weight": "weight_kg", "weightkg": "weight_kg", "poids": "weight_kg", "poidskg": "weight_kg",
	"length": "length_cm", "lengthcm": "length_cm", "longueur": "length_cm", "longueurcm": "length_cm",
	"width": "width_cm", "widthcm": "width_cm", "largeur": "width_cm", "largeurcm": "width_cm",
	"height": "height_cm", "heightcm": "height_cm", "hauteur": "height_cm", "hauteurcm": "height_cm",
	"description": "description", "contents": "description", "content": "description", "contenu": "description",
	"value": "value", "declaredvalue": "value", "valeur": "value", "valeurdeclaree": "value", "valeur$": "value",
	"fragile": "fragile", "barcode": "barcode", "codebarres": "barcode", "codeabarres": "barcode",
	"cod": "cod.amount", "cashondelivery": "cod.amount", "contreremboursement": "cod.amount",
	"amounttocollect": "cod.amount", "tocollect": "cod.amount", "montantapercevoir": "cod.amount",
	"apercevoir": "cod.amount", "montantaencaisser": "cod.amount", "aencaisser": "cod.amount",
	"paiementalalivraison": "cod.amount",
	"insurance":            "insurance.amount", "assurance": "insurance.amount",
	"item": ContentsName, "product": ContentsName, "article": ContentsName, "produit": ContentsName,
	"quantity": ContentsQuantity, "qty": ContentsQuantity, "qte": ContentsQuantity,
	"quantite": ContentsQuantity, //nolint:misspell // French
}
