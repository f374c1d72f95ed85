/** The kills find planted bugs. `npm run durability` shows that a correct server survives them. */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { killUnderLoad } from "./kills.ts";
import { Ledger, type Numbered } from "./ledger.ts";

beforeAll(async () => {
  await buildModule("engine");
});

test("a server that answers before the disk has what was written is found", { timeout: 120_000 }, async () => {
  const { findings } = await killUnderLoad({ kills: 20, seed: 1, main: join(import.meta.dirname, "planted.ts") });
  expect(findings).not.toEqual([]);
});

describe("after a restart", () => {
  const object = (n: number, version: string): Numbered => ({
    metadata: { name: "a", resourceVersion: version },
    data: { n: String(n) },
  });

  /** Three writes were acknowledged, the last in version 13. A fourth was sent. */
  function written(): Ledger {
    const ledger = new Ledger();
    for (const version of ["11", "12", "13"]) {
      ledger.ask("a", false);
      ledger.acknowledge("a", version);
    }
    ledger.ask("a", false);
    return ledger;
  }

  test("an object may be as it was acknowledged, or as it was asked for last", () => {
    expect(written().compare([object(3, "13")], "13")).toEqual([]);
    expect(written().compare([object(4, "14")], "14")).toEqual([]);
  });

  test("an older write, or none, is a finding", () => {
    expect(written().compare([object(2, "12")], "13")).toEqual([
      "a: stored write 3, and perhaps write 4, after the restart it shows write 2",
    ]);
    expect(written().compare([], "13")).toEqual([
      "a: stored write 3, and perhaps write 4, after the restart it is not there",
    ]);
  });

  test("an object that is there again is a finding", () => {
    const ledger = written();
    ledger.compare([object(4, "14")], "14");
    ledger.ask("a", true);
    ledger.acknowledge("a", "15");
    expect(ledger.compare([object(4, "14")], "15")).toEqual([
      "a: stored deletion 5, after the restart it shows write 4",
    ]);
  });

  test("a version that went back is a finding", () => {
    expect(written().compare([object(3, "13")], "12")).toEqual([
      "version 13 was shown, and after the restart the latest is 12",
    ]);
  });

  test("what only a watch has shown counts, too", () => {
    const ledger = written();
    ledger.see("MODIFIED", object(4, "14"));
    expect(ledger.compare([object(3, "13")], "14")).toEqual(["a: a watch has shown 4; after the restart 3"]);
  });
});
