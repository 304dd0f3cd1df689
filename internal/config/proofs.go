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

// FileStore describes where files are kept: in a bucket if Endpoint is set, otherwise in a
// directory.
type FileStore struct {
	Directory string

	Endpoint    *url.URL // scheme and host; nil for a directory
	Bucket      string
	Prefix      string
	Region      string
	Key, Secret string
	VirtualHost bool // whether the bucket is part of the host and not of the path
}

const bucketURL = "s3://KEY:SECRET@HOST/BUCKET?region=REGION"

// The names that buckets, prefixes and regions may have. None of the allowed
// characters has to be escaped in a URL.
var (
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)
	regionForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)
)

// ProofStore parses --proofs. Its errors do not repeat the URL of a bucket, which
// holds a secret.
func (c *Config) ProofStore() (FileStore, error) {
	if c.Proofs == "" {
		return FileStore{Directory: filepath.Join(c.Data, "proofs")}, nil
	}
	return readStore("--proofs", c.Proofs)
}

// readStore parses a setting that names a directory or a bucket.
func readStore(flag, text string) (FileStore, error) {
	switch {
	case strings.HasPrefix(text, "s3://"):
		return readBucket(flag, text)
	case strings.Contains(text, "://"):
		return FileStore{}, errors.New(flag + ": the value must be a directory or " + bucketURL)
	}
	if info, err := os.Stat(text); err == nil && !info.IsDir() {
		return FileStore{}, fmt.Errorf("%s: %q is not a directory", flag, text)
	}
	return FileStore{Directory: text}, nil
}

func readBucket(flag, text string) (FileStore, error) {
	where, err := url.Parse(text)
	if err != nil {
		return FileStore{}, errors.New(flag + ": the value is not a URL like " + bucketURL +
			"; in key and secret write / as %2F, + as %2B and @ as %40")
	}
	secret, _ := where.User.Password()
	bucket, prefix, _ := strings.Cut(strings.Trim(where.Path, "/"), "/")
	s := FileStore{
		Endpoint: &url.URL{Scheme: "https", Host: where.Host},
		Bucket:   bucket, Prefix: prefix, Region: "us-east-1",
		Key: where.User.Username(), Secret: secret,
	}
	switch {
	case where.Hostname() == "" || where.Fragment != "":
		return FileStore{}, errors.New(flag + ": the host is missing, or there is a fragment; the form is " + bucketURL)
	case s.Key == "" || s.Secret == "":
		return FileStore{}, errors.New(flag + ": key or secret is missing; the form is " + bucketURL)
	case !bucketForm.MatchString(s.Bucket):
		return FileStore{},
			errors.New(flag + ": the name of the bucket is missing or not allowed; the form is " + bucketURL)
	case s.Prefix != "" && !prefixForm.MatchString(s.Prefix):
		return FileStore{}, errors.New(flag + ": a prefix may contain only letters, digits, _, - and /")
	}
	err = s.readOptions(flag, where.RawQuery)
	return s, err
}

// readOptions parses the parameters region, style and tls.
func (s *FileStore) readOptions(flag, query string) error {
	options, err := url.ParseQuery(query)
	if err != nil {
		return errors.New(flag + ": the parameters after the ? are malformed")
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
			return errors.New(flag + ": the parameters are region=REGION, style=path or style=virtual, and tls=on or tls=off")
		}
	}
	if s.VirtualHost && s.Endpoint.Scheme == "https" && strings.Contains(s.Bucket, ".") {
		return errors.New(
			flag + ": with style=virtual no certificate matches a bucket whose name contains a dot; use style=path",
		)
	}
	return nil
}

// String returns the directory, or the bucket's URL with the secret masked.
func (s FileStore) String() string {
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

// proofsName returns the ProofStore as String shows it.
func (c *Config) proofsName() string {
	store, err := c.ProofStore()
	if err != nil {
		return "(not readable)"
	}
	return store.String()
}
