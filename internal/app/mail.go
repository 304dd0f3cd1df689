package app

import (
	"context"
	"errors"
	"net/url"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/recipient"
)

// openMail creates the service that sends mails, if the settings have a mail server.
func (a *App) openMail() error {
	server, err := a.config.MailServer()
	if err != nil || server == nil || a.Post != nil {
		return err
	}
	a.mailer = mailer.NewService(mailer.Config{
		Store: a.store.Mails(), Sealer: a.sealer, Now: a.Now, Aged: a.trust.Age, Random: a.Random, Log: a.Log,
		Observer: a.metrics.Mails(), Language: a.languageOf, Held: a.hold.on, Server: smtpOf(server, a.URL()),
	})
	a.atClose(ending(a.mailer.Close))
	a.Post = a.mailer
	return nil
}

// smtpOf returns the mail server of the settings, for a service with a public address.
func smtpOf(server *config.MailServer, base string) *mailer.SMTP {
	return &mailer.SMTP{
		Host: server.Host, Port: server.Port, Security: mailer.Security(server.Security),
		Username: server.Username, Password: server.Password, From: server.From, Hello: helloName(base),
	}
}

// ErrNoMailServer means that the settings have no mail server.
var ErrNoMailServer = errors.New("--smtp is not set, so the service sends no mails")

// TryMail sends one mail to an address by the mail server of the settings, as the service
// would, and returns the server's words. It stores nothing; the service may be running.
// Errors are ErrNoMailServer and those of mailer.Server.
func TryMail(
	ctx context.Context, settings *config.Config, world Surroundings, to, language string,
) (accepted string, err error) {
	server, err := settings.MailServer()
	if err != nil {
		return "", err
	}
	if server == nil {
		return "", ErrNoMailServer
	}
	base := settings.Public(listenAddress(settings))
	content, err := mail.Compose(&mail.Message{Kind: mail.Trial, To: to, URL: base}, mail.Language(language))
	if err != nil {
		return "", err
	}
	id, err := identifier.New(world.Random, "mail_")
	if err != nil {
		return "", err
	}
	return smtpOf(server, base).Try(ctx,
		&mailer.Envelope{MailID: id, To: to, Content: content, Language: mail.Language(language), Date: world.Now()})
}

// helloName returns what the service greets mail servers with, given its public address.
// It is empty if that is an address of this machine, which means nothing to others.
func helloName(base string) string {
	public, err := url.Parse(base)
	if err != nil || machine.IsLoopback(public.Host) {
		return ""
	}
	return mailer.HelloName(public.Hostname())
}

// openRecipients creates the service that informs the recipients of orders by mail.
func (a *App) openRecipients() {
	config := recipient.Config{
		Store: a.store.Recipients(), Sender: a.senderOf, Clock: a.calendar.ClockAt, BaseURL: a.URL,
		Now: a.Now, At: a.At, Log: a.Log,
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
		Informs: sender.RecipientMail, PublicName: sender.PublicName, Name: sender.Name, SupportURL: sender.SupportURL,
		French: sender.Language == partner.LanguageFrench, Email: sender.Email,
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
