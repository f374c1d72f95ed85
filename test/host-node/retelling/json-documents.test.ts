/** Documents of JSON one after the other, as kubectl and jq print them. */
import { expect, test } from "vitest";
import { jsonDocuments } from "../../../host-node/retelling/json-documents.ts";

const read = (text: string): unknown[] =>
  [...jsonDocuments(text)].map(({ text: document, line }) => [
    line,
    document === undefined ? "cut" : JSON.parse(document),
  ]);

test.each([
  [
    "one a line",
    '{"a":1}\n{"b":2}\n',
    [
      [1, { a: 1 }],
      [2, { b: 2 }],
    ],
  ],
  [
    "without anything between them",
    '{"a":1}[2]{"b":2}',
    [
      [1, { a: 1 }],
      [1, [2]],
      [1, { b: 2 }],
    ],
  ],
  [
    "of several lines each",
    '{\n  "a": {\n  }\n}\n\n{\n}\n',
    [
      [1, { a: {} }],
      [6, {}],
    ],
  ],
  [
    "with brackets, quotes and backslashes in strings",
    '{"a":"}\\"{\\\\"}{"b":"]["}',
    [
      [1, { a: '}"{\\' }],
      [1, { b: "][" }],
    ],
  ],
  [
    "cut in the middle",
    '{"a":1}\n{"b":{"c":"d',
    [
      [1, { a: 1 }],
      [2, "cut"],
    ],
  ],
  ["none", " \n", []],
])("%s", (_, text, documents) => {
  expect(read(text)).toEqual(documents);
});

test.each([
  ["apiVersion: v1\n", 'line 1: "apiVersion: v1\\n" is no JSON object'],
  ['{"a":1}\nerror: the server', 'line 2: "error: the server" is no JSON object'],
  ["}", 'line 1: "}" is no JSON object'],
])("%j is refused", (text, problem) => {
  expect(() => read(text)).toThrow(problem);
});

test("a log of many megabytes is read in one pass", () => {
  const document = JSON.stringify({ text: "x".repeat(1000), list: [{}, []] });
  const documents = [...jsonDocuments(`${document}\n`.repeat(5000))];
  expect(documents).toHaveLength(5000);
  expect(documents.at(-1)).toEqual({ text: document, line: 5000 });
});
