/**
 * A member of a JSON object has its name once. JavaScript and Python take the last of two without a word, so a case of
 * the vectors that lost its end in a merge would take the next one with it.
 */
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { files, read } from "./sources.ts";

function duplicates(text: string): string[] {
  return [...parseAllDocuments(text)].flatMap(({ errors }) =>
    errors.filter(({ code }) => code === "DUPLICATE_KEY").map(({ linePos }) => `line ${linePos?.[0].line ?? 0}`),
  );
}

test("no object of a JSON file has two members of one name", () => {
  const found = files
    .filter((file) => file.endsWith(".json") && file !== "package-lock.json")
    .flatMap((file) => duplicates(read(file)).map((line) => `${file}: ${line}`));
  expect(found).toEqual([]);
});

test("two members of one name are found, with their line", () => {
  expect(duplicates('{"a": 1,\n "b": {"c": 1,\n "c": 2}}')).toEqual(["line 3"]);
  expect(duplicates('{"a": {"c": 1}, "b": {"c": 1}}')).toEqual([]);
});
