// Package admission answers the AdmissionReviews of an API server with Stint's engine: defaults, the rules of Jobs and
// of their pod templates with the path of each field, and warnings, before an object is stored.
//
// A [Pool] has engines that review at the same time; a [Handler] serves one of the two phases of admission over
// net/http. The package leaves out TLS, which an API server asks for, and authentication: that is what the
// [net/http.Server] is for.
package admission
