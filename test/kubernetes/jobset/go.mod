// JobSet, whose own suites suites.ts builds inside that module, with the versions that its go.mod pins.
module stint.dev/stint/test/kubernetes/jobset

go 1.26.0

require sigs.k8s.io/jobset v0.11.0
