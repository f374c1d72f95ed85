/** Mistakes in the outcomes of a Job's annotation, each with its place. */
import { expect, it } from "vitest";
import { diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { parseManifests } from "../../../cluster/manifests/manifests.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { simulateMistakes } from "../../../cluster/manifests/simulate-annotation.ts";

function mistakes(annotation: string): string[] {
  const text = `apiVersion: batch/v1
kind: Job
spec:
  template:
    metadata:
      annotations:
        ${annotation}
    spec:
      containers:
      - name: main
`;
  const { manifests, diagnostics } = parseManifests({ file: "j", text }, readYaml);
  expect(diagnostics).toEqual([]);
  return simulateMistakes(manifests[0]!).map((mistake) =>
    diagnosticText(mistake).replace("spec.template.metadata.", "…"),
  );
}

it.each([
  [`stint.dev/simulate: '{ "exitCode": 1 }'`, []],
  [`example.com/other: "{"`, []],
  [
    `stint.dev/simulate: '{ "exitcode": 1 }'`,
    [
      "j:7:32: …annotations[stint.dev/simulate]: exitcode is not a field of an outcome; allowed are %; did you mean exitCode?",
    ],
  ],
  [
    `stint.dev/simulate: |\n          {\n            "byIndex": { "3": { "exitCode": 300 } }\n          }`,
    ["j:9:33: …annotations[stint.dev/simulate]: byIndex.3.exitCode is 300; allowed is an integer from 0 to 255"],
  ],
  [
    `stint.dev/simulate: '{ "sigterm": { "exitCod": 1 } }'`,
    [
      "j:7:45: …annotations[stint.dev/simulate]: sigterm.exitCod is not a field of sigterm; allowed are exitCode and afterMs; did you mean exitCode?",
    ],
  ],
  [
    `stint.dev/simulate: '{ "byContainer": { "mian": {} } }'`,
    [
      "j:7:49: …annotations[stint.dev/simulate]: byContainer.mian is no container of the pod; it has main; did you mean main?",
    ],
  ],
  [
    `stint.dev/simulat: '{}'`,
    ["j:7:9: …annotations[stint.dev/simulat]: nothing reads it; did you mean stint.dev/simulate?"],
  ],
])("%s", (annotation, expected) => {
  const found = mistakes(annotation).map((line) =>
    line.replace(/allowed are startDelayMs.*?byContainer/, "allowed are %"),
  );
  expect(found).toEqual(expected);
});

it("text that is not JSON", () => {
  expect(mistakes(`stint.dev/simulate: '{ exitCode: 1 }'`)).toEqual([
    expect.stringMatching(/^j:7:29: …annotations\[stint.dev\/simulate\]: not JSON: /),
  ]);
});
