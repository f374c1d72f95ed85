/** Documents of JSON one after the other, as kubectl and jq print them. */
import { expect, test } from "vitest";
import { jsonDocuments } from "../../../cluster/observed/json-documents.ts";

const read = (text: string): unknown[] =>
  [...jsonDocuments(text)].map(({ text: document, offset }) => [
    offset,
    document === undefined ? "cut" : JSON.parse(document),
  ]);

test.each([
  [
    "one a line",
    '{"a":1}\n{"b":2}\n',
    [
      [0, { a: 1 }],
      [8, { b: 2 }],
    ],
  ],
  [
    "without anything between them",
    '{"a":1}[2]{"b":2}',
    [
      [0, { a: 1 }],
      [7, [2]],
      [10, { b: 2 }],
    ],
  ],
  [
    "of several lines each",
    '{\n  "a": {\n  }\n}\n\n{\n}\n',
    [
      [0, { a: {} }],
      [18, {}],
    ],
  ],
  [
    "with brackets, quotes and backslashes in strings",
    '{"a":"}\\"{\\\\"}{"b":"]["}',
    [
      [0, { a: '}"{\\' }],
      [14, { b: "][" }],
    ],
  ],
  [
    "cut in the middle",
    '{"a":1}\n{"b":{"c":"d',
    [
      [0, { a: 1 }],
      [8, "cut"],
    ],
  ],
  ["none", " \n", []],
])("%s", (_, text, documents) => {
  expect(read(text)).toEqual(documents);
});

test.each([
  ["apiVersion: v1\n", 0, '"apiVersion: v1\\n" is no JSON object'],
  ['{"a":1}\nerror: the server', 8, '"error: the server" is no JSON object'],
  ["}", 0, '"}" is no JSON object'],
])("%j is refused", (text, offset, message) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ name: "NoDocument", offset, message }));
});

test("a log of many megabytes is read in one pass", () => {
  const document = JSON.stringify({ text: "x".repeat(1000), list: [{}, []] });
  const documents = [...jsonDocuments(`${document}\n`.repeat(5000))];
  expect(documents).toHaveLength(5000);
  expect(documents.at(-1)).toEqual({ text: document, offset: 4999 * (document.length + 1) });
});
