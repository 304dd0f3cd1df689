package app

import (
	"context"
	"net/url"

	"github.com/dropyard/dropyard/internal/foundation/loopback"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/retention"
)

// openMail creates the service that sends mails, if the settings have a mail server.
func (a *App) openMail() error {
	server, err := a.config.MailServer()
	if err != nil || server == nil || a.Post != nil {
		return err
	}
	a.mailer = mailer.NewService(mailer.Config{
		Store: a.store.Mails(), Sealer: a.sealer, Now: a.Now, Aged: a.trust.Age, Random: a.Random, Log: a.Log, Observer: a.metrics.Mails(),
		Language: a.languageOf, Held: a.hold.on,
		Server: &mailer.SMTP{
			Host: server.Host, Port: server.Port, Security: mailer.Security(server.Security),
			Username: server.Username, Password: server.Password, From: server.From, Hello: helloName(a.URL()),
		},
	})
	a.atClose(ending(a.mailer.Close))
	a.Post = a.mailer
	return nil
}

// helloName returns what the service greets mail servers with, given its public address.
// It is empty if that is an address of this machine, which means nothing to others.
func helloName(base string) string {
	public, err := url.Parse(base)
	if err != nil || loopback.Is(public.Host) {
		return ""
	}
	return mailer.HelloName(public.Hostname())
}

// openRecipients creates the service that informs the recipients of orders by mail.
func (a *App) openRecipients() {
	config := recipient.Config{
		Store: a.store.Recipients(), Sender: a.senderOf, Clock: a.calendar.Clock, BaseURL: a.URL,
		ErasedEmail: retention.ErasedEmail, Now: a.Now, At: a.At, Log: a.Log,
	}
	if a.mailer != nil {
		config.Seal = a.mailer.Seal
	}
	a.recipients = recipient.NewService(config)
	a.atClose(ending(a.recipients.Close))
}

// senderOf returns a partner as its recipients see it.
func (a *App) senderOf(ctx context.Context, partnerID string) (recipient.Sender, error) {
	sender, err := a.partners.Sender(ctx, partnerID)
	return recipient.Sender{
		Informs: sender.RecipientMail, PublicName: sender.PublicName, Name: sender.Name, SupportURL: sender.SupportURL, French: sender.Language == partner.LanguageFrench,
	}, err
}

// languageOf returns the language of mails to the people of a partner.
func (a *App) languageOf(ctx context.Context, partnerID string) (mail.Language, error) {
	profile, err := a.partners.Profile(ctx, partnerID)
	if profile.Language == partner.LanguageFrench {
		return mail.French, err
	}
	return mail.English, err
}
