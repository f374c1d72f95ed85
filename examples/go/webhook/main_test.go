package main

// This file calls the example as an API server does: over HTTPS, with Jobs to review.

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A webhookCase is one of test/examples/webhook-cases.json, which the webhooks of all languages answer alike.
type webhookCase struct {
	Name, Path, Message string
	Spec                map[string]any
	Allowed, IsPatched  bool
	Warnings            []string
}

type response struct {
	Allowed  bool
	Patch    []byte
	Status   struct{ Message string }
	Warnings []string
}

func TestTheExampleReviewsJobs(t *testing.T) {
	url, client := start(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "test", "examples", "webhook-cases.json"))
	must(t, err)
	var cases []webhookCase
	must(t, json.Unmarshal(text, &cases))
	if len(cases) == 0 {
		t.Fatal("there are no cases")
	}
	for _, one := range cases {
		t.Run(one.Name, func(t *testing.T) {
			got := post(t, client, url+one.Path, one.Spec)
			if got.Allowed != one.Allowed || got.Status.Message != one.Message ||
				!slices.Equal(got.Warnings, one.Warnings) || (got.Patch != nil) != one.IsPatched {
				t.Errorf("the answer is %+v, and should be %+v", got, one)
			}
		})
	}
}

// start runs the example on a free port, with its own certificate.
func start(t *testing.T) (url string, client *http.Client) {
	t.Helper()
	certificate, key, pool := certify(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().String()
	must(t, listener.Close())
	os.Args = []string{"webhook", address, certificate, key}
	go main()
	client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if connection, err := net.Dial("tcp", address); err == nil {
			connection.Close()
			return "https://" + address, client
		}
	}
	t.Fatal("the webhook does not listen after a minute")
	return "", nil
}

func post(t *testing.T, client *http.Client, url string, spec map[string]any) response {
	t.Helper()
	spec["template"] = json.RawMessage(
		`{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox"}]}}`)
	object, err := json.Marshal(spec)
	must(t, err)
	answer, err := client.Post(url+"?timeout=5s", "application/json", strings.NewReader(fmt.Sprintf(
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"r","operation":"CREATE",`+
			`"kind":{"group":"batch","version":"v1","kind":"Job"},"resource":{"group":"batch","version":"v1",`+
			`"resource":"jobs"},"namespace":"ns","object":{"apiVersion":"batch/v1","kind":"Job",`+
			`"metadata":{"name":"j","namespace":"ns","uid":"u"},"spec":%s}}}`, object)))
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	var review struct{ Response response }
	if err := json.Unmarshal(text, &review); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the answer is %d %s", answer.StatusCode, text)
	}
	return review.Response
}

// certify writes a certificate for 127.0.0.1 and its key, and trusts it.
func certify(t *testing.T) (certificate, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	parsed, err := x509.ParseCertificate(public)
	must(t, err)
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	folder := t.TempDir()
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return path
	}
	return write("tls.crt", "CERTIFICATE", public), write("tls.key", "PRIVATE KEY", secret), pool
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
