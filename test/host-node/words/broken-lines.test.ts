/** Text broken into lines: where it may be broken, and how the further lines hang. */
import { describe, expect, it } from "vitest";
import { brokenLines, held, hungLines } from "../../../host-node/words/broken-lines.ts";

describe("brokenLines", () => {
  it("breaks at its separator alone", () => {
    expect(brokenLines("a b   c d   e", 7, "   ")).toEqual(["a b", "c d   e"]);
    expect(brokenLines("longer than that", 3)).toEqual(["longer", "than", "that"]);
  });

  it("keeps a number and its unit together, and what is held", () => {
    expect(brokenLines("back-off 80 s since 2 min", 11)).toEqual(["back-off", "80 s since", "2 min"]);
    expect(brokenLines("of 80 shards, 3 pods", 5)).toEqual(["of 80", "shards,", "3", "pods"]);
    expect(brokenLines(`say ${held("kubectl get jobs")} now`, 8)).toEqual(["say", "kubectl get jobs", "now"]);
  });
});

describe("hungLines", () => {
  it("indents the further lines more than the first, by the hang that is given", () => {
    expect(hungLines("one two three four", 12, { indent: "  " })).toEqual(["  one two", "    three", "    four"]);
    expect(hungLines("cause: one two", 11, { hang: " ".repeat(7) })).toEqual(["cause: one", "       two"]);
    expect(hungLines("", 10, { indent: "  " })).toEqual(["  "]);
  });
});
