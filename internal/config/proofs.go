package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ProofStore is where proofs of delivery are kept: in a folder, or in a bucket
// if there is an endpoint.
type ProofStore struct {
	Directory string

	Endpoint    *url.URL // scheme and host
	Bucket      string
	Prefix      string
	Region      string
	Key, Secret string
	VirtualHost bool // the bucket is part of the host rather than of the path
}

const proofsForm = "s3://KEY:SECRET@HOST/BUCKET?region=REGION"

// The names that buckets and prefixes may have: nothing in them needs escapes.
var (
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)
	regionForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)
)

// ProofStore reads where proofs are kept. No error tells the address, because
// it holds a secret.
func (c *Config) ProofStore() (ProofStore, error) {
	switch {
	case c.Proofs == "":
		return ProofStore{Directory: filepath.Join(c.Data, "proofs")}, nil
	case strings.HasPrefix(c.Proofs, "s3://"):
		return readBucket(c.Proofs)
	case strings.Contains(c.Proofs, "://"):
		return ProofStore{}, errors.New("--proofs must be a directory or " + proofsForm)
	}
	if info, err := os.Stat(c.Proofs); err == nil && !info.IsDir() {
		return ProofStore{}, fmt.Errorf("--proofs %s is no directory", c.Proofs)
	}
	return ProofStore{Directory: c.Proofs}, nil
}

func readBucket(text string) (ProofStore, error) {
	where, err := url.Parse(text)
	if err != nil {
		return ProofStore{}, errors.New("--proofs is no address such as " + proofsForm + "; escape / + and @ in the secret as %2F %2B %40")
	}
	secret, _ := where.User.Password()
	bucket, prefix, _ := strings.Cut(strings.Trim(where.Path, "/"), "/")
	s := ProofStore{
		Endpoint: &url.URL{Scheme: "https", Host: where.Host},
		Bucket:   bucket, Prefix: prefix, Region: "us-east-1",
		Key: where.User.Username(), Secret: secret,
	}
	switch {
	case where.Hostname() == "" || where.Fragment != "":
		return ProofStore{}, errors.New("--proofs is no address such as " + proofsForm)
	case s.Key == "" || s.Secret == "":
		return ProofStore{}, errors.New("--proofs needs a key and a secret: " + proofsForm)
	case !bucketForm.MatchString(s.Bucket):
		return ProofStore{}, errors.New("--proofs names no bucket: " + proofsForm)
	case s.Prefix != "" && !prefixForm.MatchString(s.Prefix):
		return ProofStore{}, errors.New("--proofs: a prefix has letters, digits, _ - and / only")
	}
	return s, s.readOptions(where.RawQuery)
}

// readOptions reads region, style and tls.
func (s *ProofStore) readOptions(query string) error {
	options, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("--proofs: the options behind the ? are malformed")
	}
	for name, values := range options {
		value := values[len(values)-1]
		switch {
		case name == "region" && regionForm.MatchString(value):
			s.Region = value
		case name == "style" && (value == "path" || value == "virtual"):
			s.VirtualHost = value == "virtual"
		case name == "tls" && value == "off":
			s.Endpoint.Scheme = "http"
		case name == "tls" && value == "on":
		default:
			return errors.New("--proofs takes the options region=…, style=path or virtual, and tls=on or off")
		}
	}
	if s.VirtualHost && s.Endpoint.Scheme == "https" && strings.Contains(s.Bucket, ".") {
		return errors.New("--proofs: no certificate fits a bucket with a dot in its name by style=virtual; use style=path")
	}
	return nil
}

// String is where proofs are kept, without the secret.
func (s ProofStore) String() string {
	if s.Endpoint == nil {
		return s.Directory
	}
	style := "path"
	if s.VirtualHost {
		style = "virtual"
	}
	return fmt.Sprintf("s3://%s:****@%s/%s?region=%s&style=%s (%s)",
		url.PathEscape(s.Key), s.Endpoint.Host, strings.Trim(s.Bucket+"/"+s.Prefix, "/"), s.Region, style, s.Endpoint.Scheme)
}

// proofsName is ProofStore for the print of the settings.
func (c *Config) proofsName() string {
	store, err := c.ProofStore()
	if err != nil {
		return "(not readable)"
	}
	return store.String()
}
