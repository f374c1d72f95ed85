/** `stint explain`: the pages of codes in a terminal. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { EndCode, HoldCode } from "../../../bindings/js/abi.ts";
import { sectionsOf } from "../../../host-node/cli/explain/explain-code.ts";
import { main } from "./checked-main.ts";
import { RecordingConsole } from "./recording-console.ts";

async function explain(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const console = new RecordingConsole("/");
  const exit = await main(["explain", ...args], "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

const page = (name: string): string => readFileSync(resolve(import.meta.dirname, `../../../docs/${name}`), "utf8");
const codes = ["decisions.md", "account.md", "lint.md"].flatMap((name) => [...sectionsOf(page(name)).keys()]);

describe("stint explain", () => {
  it("says what a decision means, without the marks of its page", async () => {
    const { exit, out } = await explain("Backoff");
    expect(exit).toBe(0);
    expect(out).toMatch(/^Backoff\n\n> waiting /);
    expect(out).toContain("\nWhat to do: ");
    expect(out).not.toMatch(/\]\(|\*\*/);
  });

  it("takes a rule of lint, in any case of its letters, with its example", async () => {
    const { exit, out } = await explain("nodeadline");
    expect(exit).toBe(0);
    expect(out).toMatch(/^NoDeadline\n\n/);
    expect(out).toContain("\nspec:\n  backoffLimit: 6");
    expect(out).not.toContain("```");
  });

  it("has every code of the pages, and lists them", async () => {
    expect(codes).toContain("TooManyFailures");
    expect(codes).toContain("NoTimeToLive");
    const { out: list } = await explain();
    for (const code of codes) {
      expect(list).toMatch(new RegExp(`\\b${code}\\b`));
      expect((await explain(code)).out.split("\n").length).toBeGreaterThan(3);
    }
  });

  it("has the sections of both pages that have the code", async () => {
    const { out } = await explain("Backoff");
    expect(out).toContain("\nPods have failed, and the controller waits");
    expect(out).toContain("> waiting ");
  });

  it("has each end and each hold of an account", () => {
    const known = [...Object.keys(EndCode), ...Object.keys(HoldCode)];
    expect([...sectionsOf(page("account.md")).keys()].toSorted()).toEqual([...new Set(known)].toSorted());
  });

  it("refuses a code that is not there, with the one that may be meant", async () => {
    expect(await explain("Bakoff")).toEqual({
      exit: 2,
      out: "",
      err: 'stint: there is no code "Bakoff"; did you mean Backoff?\n',
    });
    expect((await explain("xyzzy")).err).toContain("; stint explain lists the codes\n");
  });
});
