/** The command in a Node that is too old for it: says so at once, whatever it was asked for. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeVersionProblem } from "../../../host-node/cli/node-version.ts";

const root = resolve(import.meta.dirname, "../../..");
const newer = "node_modules/.bin/node host-node/cli/main.ts";
const said = `stint needs Node 22.19 or newer; this is v20.20.2. A newer one is here: ${newer}`;

describe("the version of Node", () => {
  it.each(["22.19.0", "22.20.1", "23.0.0", "24.21.0", "100.0.0"])("%s will do", (version) => {
    expect(nodeVersionProblem(version, ">=22.19")).toBeUndefined();
  });

  it.each(["22.18.9", "20.20.2", "9.99.0"])("%s is too old", (version) => {
    expect(nodeVersionProblem(version, ">=22.19", newer)).toBe(said.replace("20.20.2", version));
    expect(nodeVersionProblem(version, ">=22.19")).toMatch(/\. Install a newer one: https:\/\/nodejs\.org$/);
  });

  it("is looked at first thing", () => {
    const older =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})';
    for (const args of [["run", "no-such.yaml"], ["--help"], []]) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--import", older, "host-node/cli/main.ts", ...args],
        { cwd: root, encoding: "utf8" },
      );
      expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: `${said}\n` });
    }
  });
});
