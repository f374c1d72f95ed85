/** How the command says that it can be called again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calledWithNewerNode, howCalled } from "../../../host-node/cli/how-called.ts";

describe("how the command was called", () => {
  it.each([
    ["/usr/local/bin/stint", "/proj", "stint"],
    ["/opt/tools/stint", "/proj", "/opt/tools/stint"],
    ["/usr/local/bin/stint-linux-x64", "/proj", "stint-linux-x64"],
    ["stint", "/proj", "stint"],
    ["/usr/local/bin/kubectl-stint", "/proj", "kubectl stint"],
    ["/proj/node_modules/.bin/stint", "/proj", "npx @stint-dev/stint"],
    ["/clone/dist/stint.mjs", "/clone", "node dist/stint.mjs"],
    ["/clone/dist/stint.mjs", "/clone/examples", "node ../dist/stint.mjs"],
  ])("%s in %s is %s", (script, workingDirectory, command) => {
    expect(howCalled({ script, workingDirectory, path: "/usr/bin:/usr/local/bin:/proj/node_modules/.bin" })).toBe(
      command,
    );
  });

  it("names the newer Node of a clone, and none where there is none", () => {
    const workingDirectory = mkdtempSync(join(tmpdir(), "stint-called-"));
    const script = join(workingDirectory, "dist", "stint.mjs");
    expect(calledWithNewerNode({ script, workingDirectory })).toBeUndefined();
    mkdirSync(join(workingDirectory, "node_modules", ".bin"), { recursive: true });
    writeFileSync(join(workingDirectory, "node_modules", ".bin", "node"), "");
    expect(calledWithNewerNode({ script, workingDirectory })).toBe("node_modules/.bin/node dist/stint.mjs");
    rmSync(workingDirectory, { recursive: true });
  });
});
