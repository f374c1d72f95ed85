/** How the command says that it can be called again. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

  it("is the script of a clone, which knows the right Node, or a link to it in the PATH", () => {
    const clone = mkdtempSync(join(tmpdir(), "stint-called-"));
    for (const folder of ["dist", "bin", "examples"]) mkdirSync(join(clone, folder));
    writeFileSync(join(clone, "stint"), "");
    const script = join(clone, "dist", "stint.mjs");
    expect(howCalled({ script, workingDirectory: clone, path: "/usr/bin" })).toBe("./stint");
    expect(howCalled({ script, workingDirectory: join(clone, "examples"), path: "/usr/bin" })).toBe("../stint");
    expect(howCalled({ script, workingDirectory: "/proj", path: `/usr/bin:${clone}` })).toBe("stint");
    const path = join(clone, "bin");
    expect(howCalled({ script, workingDirectory: "/proj", path })).toBe(join(clone, "stint"));
    symlinkSync("../stint", join(path, "stint"));
    expect(howCalled({ script, workingDirectory: "/proj", path: `/usr/bin:${path}` })).toBe("stint");
    rmSync(clone, { recursive: true });
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
