/** Collections that requests came to before are found without taking the path apart, and nothing else changes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { resources } from "../../../../cluster/apiserver/registry/resources.ts";
import { resolve } from "../../../../cluster/apiserver/http/router.ts";

function outcome(path: string, definitions: typeof resources): unknown {
  try {
    return resolve(path, definitions);
  } catch (error) {
    return String(error);
  }
}

test("a path leads to the same, whatever paths came before", () => {
  const segment = fc.constantFrom(
    ...[
      "namespaces",
      "default",
      "pods",
      "jobs",
      "events",
      "nodes",
      "p",
      "status",
      "binding",
      "log",
      "",
      "%70",
      "podsy",
    ],
  );
  const root = fc.constantFrom("/api/v1", "/apis/batch/v1", "/apis/events.k8s.io/v1", "/api", "/apis/none");
  const inNamespace = fc.constantFrom("", "/namespaces/default", "/namespaces/%64", "/namespaces/other");
  const path = fc
    .tuple(root, inNamespace, fc.array(segment, { maxLength: 4 }))
    .map(([beginning, namespace, rest]) => [beginning + namespace, ...rest].join("/"));
  const known = [...resources];
  for (const first of ["/api/v1/namespaces/default/pods/p/status", "/apis/batch/v1/namespaces/default/jobs"])
    outcome(first, known);
  fc.assert(
    fc.property(path, (asked) => {
      expect(outcome(asked, known)).toEqual(outcome(asked, [...resources]));
    }),
    { numRuns: 5_000, seed: 1 },
  );
});
