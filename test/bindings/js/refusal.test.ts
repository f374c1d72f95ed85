/** What is shown of an answer that is no success: bounded, in one line, and harmless. */
import { describe, expect, it } from "vitest";
import { refusalMessage } from "../../../bindings/js/refusal.ts";

describe("refusalMessage", () => {
  it.each([
    [
      "the message of a Status",
      '{"kind":"Status","message":"jobs.batch is forbidden","code":403}',
      "jobs.batch is forbidden",
    ],
    ["the text of a proxy", "upstream connect error\r\n", "upstream connect error"],
    ["nothing of other JSON", '{"message":{"a":1}}', ""],
    ["nothing of JSON that is no object", "null", ""],
    ["nothing of an empty body", "", ""],
    ["one harmless line", '{"message":"a\\nb\\t\\u001b[31mc\\u0085\\u202ed"}', "a b [31mc d"],
  ])("is %s", (_what, body, message) => {
    expect(refusalMessage({ body })).toBe(message);
    expect(refusalMessage({ body: new TextEncoder().encode(body) })).toBe(message);
  });

  it("is bounded", () => {
    expect(refusalMessage({ body: JSON.stringify({ message: "x".repeat(1000) }) })).toBe(`${"x".repeat(400)}…`);
    expect(refusalMessage({ body: "y".repeat(10_000_000) })).toBe(`${"y".repeat(400)}…`);
  });
});
