/** The JSONPath of printer columns: what filters find, and hostile paths. */
import { expect, test } from "vitest";
import { parseJsonPath } from "../../../../cluster/apiserver/custom-resources/json-path.ts";

const root = { list: [{ n: "a", v: 1 }, { n: "b", v: 2 }, { v: 3 }] };

test.each([
  ['.list[?(@.n=="b")].v', [2]],
  ["[?(  @.n  ==  'b'  )]", []],
  [".list[?( @.v >= 2 )].v", [2, 3]],
  [".list[?(@.n)].v", [1, 2]],
  [".list[?(@.n!='a')].v", [2]],
])("%s", (path, found) => expect(parseJsonPath(path)!(root)).toEqual(found));

test.each(["[?(n==1)]", "[?(@.n=1)]", "[?(@.n==)]", "[?(@.n==x)]", "[?(@.n==1"])("%s cannot be read", (path) =>
  expect(parseJsonPath(path)).toBeUndefined(),
);

test("a filter that does not end is read in one go, however many spaces it has", () => {
  expect(parseJsonPath(`[?(@==${" ".repeat(100_000)}`)).toBeUndefined();
});
