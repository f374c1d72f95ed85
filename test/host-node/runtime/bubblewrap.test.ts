/**
 * What is made of a bwrap that is missing, does not work, or knows fewer options than this one; a script stands for it.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { detectBubblewrap } from "../../../host-node/runtime/bubblewrap.ts";
import { canReach, containerUser } from "../../../host-node/runtime/container-user.ts";

const usualPath = process.env["PATH"];
// Not below a folder that is root's alone: root's bwrap is started as another user.
const folder = mkdtempSync(join(canReach(containerUser(), tmpdir()) ? tmpdir() : "/tmp", "stint-bwrap-"));
beforeAll(() => {
  chmodSync(folder, 0o755);
  process.env["PATH"] = folder;
});
afterAll(() => {
  process.env["PATH"] = usualPath;
  rmSync(folder, { recursive: true });
});

/** @param refuses an option for which a trial fails */
function install(help: string, refuses: string): void {
  const script = `#!/bin/sh\nif [ "$1" = --help ]; then echo '${help}'; exit 0; fi\ncase $(/usr/bin/tr '\\0' ' ') in *'${refuses}'*) echo 'bwrap: no ${refuses}' >&2; exit 1;; esac\n`;
  writeFileSync(join(folder, "bwrap"), script, { mode: 0o755 });
}

it("the search for bubblewrap says that there is none", () => {
  expect(detectBubblewrap()).toEqual({ problem: "bubblewrap (the command bwrap) is not installed", cause: "missing" });
});

it("the search for bubblewrap uses the options that it knows", () => {
  install(" --size BYTES\n --disable-userns  Disable", "nothing");
  expect(detectBubblewrap()).toEqual({ path: join(folder, "bwrap"), options: ["--disable-userns", "--size"] });
  install(" --tmpfs DEST", "--size");
  expect(detectBubblewrap()).toEqual({ path: join(folder, "bwrap"), options: [] });
});

it("the search for bubblewrap goes without an option that it knows and refuses, as a set-uid one does", () => {
  install(" --disable-userns  Disable", "--disable-userns");
  expect(detectBubblewrap()).toEqual({ path: join(folder, "bwrap"), options: [] });
});

it("the search for bubblewrap says why it does not work", () => {
  install(" --disable-userns  Disable", "--unshare-user");
  expect(detectBubblewrap()).toEqual({
    problem: "bubblewrap is installed but does not work here: bwrap: no --unshare-user",
    cause: "other",
  });
});
