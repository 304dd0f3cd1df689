package orderform

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Saved is what a form can be filled in with.
type Saved struct{ Senders, Recipients, Parcels []*saved.Entry }

// The acts that fill in a part of the form with something saved, and the fields that say with what. What follows is an
// end of the delivery, or the position of a parcel.
const (
	FillAct    = "saved"
	PresetAct  = "preset"
	savedPart  = "_saved_"
	presetPart = "_preset_"
	keepPart   = "_keep_" // a checkbox: this end is saved with the order
)

// OwnFields are the fields of the form that choose what is saved, and say what is to be.
var OwnFields = []string{keepPart + "pickup", keepPart + "dropoff"}

// kindOf returns what is saved of an end of the delivery.
func kindOf(end string) saved.Kind {
	if end == "pickup" {
		return saved.Sender
	}
	return saved.Recipient
}

func (o *Form) entriesOf(end string) []*saved.Entry {
	switch {
	case o.Saved == nil:
		return nil
	case end == "pickup":
		return o.Saved.Senders
	default:
		return o.Saved.Recipients
	}
}

// SavedName names a saved address or parcel, with what distinguishes it from others of that name.
func SavedName(e *saved.Entry) string {
	parts := []string{e.Name, e.Fields["address.line1"], e.Fields["address.city"]}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// Chooser is a field that is filled in with something saved.
type Chooser struct {
	End, Field, Label string
	Options           []page.Option
}

// Chooser returns the field that fills in an end of the delivery; nil if nothing is saved for it.
func (o *Form) Chooser(end string) *Chooser {
	c := &Chooser{End: end, Field: savedPart + end, Label: o.Sheet.Text("saved.choose." + end)}
	for _, entry := range o.entriesOf(end) {
		c.Options = append(c.Options, page.Option{Value: SavedName(entry)})
	}
	if c.Options == nil {
		return nil
	}
	return c
}

// Preset returns the field that fills in the parcel at a position; nil if no parcel is saved.
func (o *Form) Preset(i int) *page.Field {
	if o.Saved == nil || len(o.Saved.Parcels) == 0 {
		return nil
	}
	options := []page.Option{{Label: o.Sheet.Text("neworder.choose")}}
	for _, entry := range o.Saved.Parcels {
		options = append(options, page.Option{Value: entry.EntryID, Label: entry.Name})
	}
	return &page.Field{
		Name: presetPart + strconv.Itoa(i), Label: o.Sheet.Text("saved.preset"), Type: "select", Options: options,
	}
}

// Keeps returns the name of the checkbox that saves an end of the delivery; empty for a form without.
func (o *Form) Keeps(end string) string {
	if o.Saved == nil {
		return ""
	}
	return keepPart + end
}

// FillSaved does what a button says that fills in a part of the form: with the address of a name, or of the beginning
// of one if no other begins so, or with the parcel that was chosen.
func (o *Form) FillSaved(act, part string, sent url.Values) {
	if o.Saved == nil {
		return
	}
	if act == PresetAct {
		o.fillPreset(part, sent.Get(presetPart+part))
		return
	}
	entry := findSaved(o.entriesOf(part), sent.Get(savedPart+part))
	if entry != nil && (part == "pickup" || part == "dropoff") {
		for _, field := range saved.FieldsOf(kindOf(part)) {
			o.Set(part+"."+field, entry.Fields[field])
		}
	}
}

func findSaved(entries []*saved.Entry, typed string) (found *saved.Entry) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	if typed == "" {
		return nil
	}
	for _, entry := range entries {
		name := strings.ToLower(SavedName(entry))
		switch {
		case name == typed:
			return entry
		case strings.HasPrefix(name, typed) && found != nil:
			return nil // which one is meant is not known
		case strings.HasPrefix(name, typed):
			found = entry
		}
	}
	return found
}

func (o *Form) fillPreset(position, entryID string) {
	i, err := strconv.Atoi(position)
	at := slices.IndexFunc(o.Saved.Parcels, func(e *saved.Entry) bool { return e.EntryID == entryID })
	if err != nil || at < 0 || !slices.Contains(o.Parcels(), i) {
		return
	}
	for _, field := range saved.FieldsOf(saved.Parcel)[1:] {
		o.Set(Row("parcels", i)+"."+field, SavedText(field, o.Saved.Parcels[at].Fields[field]))
	}
}

// SavedText returns what a field of an entry holds as it is typed.
func SavedText(field, text string) string {
	if field != "value_cents" {
		return text
	}
	cents, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ""
	}
	return InDollars(cents)
}

// SavedMeaning returns what was typed into a field of an entry as saved.ReadWanted reads it.
func SavedMeaning(path, text string) string {
	text = strings.TrimSpace(text)
	for _, object := range []string{"dropoff.", "parcels[0]."} {
		if f, _, known := findField(object + path); known {
			return f.meaning(text, time.UTC)
		}
	}
	return text
}

// KeptEnds returns the ends of the delivery that are to be saved, as requests to save them.
func (o *Form) KeptEnds() (wanted []saved.Wanted) {
	typed := o.Typed()
	for _, end := range []string{"pickup", "dropoff"} {
		if o.Saved == nil || o.Value(keepPart+end) == "" {
			continue
		}
		fields := url.Values{}
		for _, field := range saved.FieldsOf(kindOf(end)) {
			if text := typed.Get(end + "." + field); end+"."+field != recipientEmail || !strings.EqualFold(text, o.OwnEmail) {
				fields.Set(field, text)
			}
		}
		one, _ := form.Decode(form.FromValues(fields, nil), saved.ReadWanted(kindOf(end))) // keeps its faults
		wanted = append(wanted, one)
	}
	return wanted
}
