/**
 * Makes the command as a single executable: `node make.ts --platform linux-x64 --folder SCRATCH --out FILE`. It is the
 * Node of that platform with the program, the engine and the documents inside, in the form that Node's documentation
 * describes as a single executable application.
 *
 * Invariant: the result has the version of Node that runs this script, because that one reads the program's form. Only
 * for this machine's platform is compiled code inside; on another one the program is compiled at its start.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { NODE_BUNDLE } from "../../bundle-options.ts";
import { inRoot, root, run } from "../artefact.ts";
import { withNote } from "./elf-note.ts";
import { fileOfNode } from "./node-package.ts";
import { isPlatform, ownPlatform, type Platform, PLATFORMS } from "./platforms.ts";

/** In the section of this name Node looks for its program, if the digit behind this text is 1. */
const SECTION = "NODE_SEA_BLOB";
const SWITCH = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:";
const DOCUMENTS = ["decisions.md", "account.md", "lint.md"];
const EXECUTABLE = 0o755;
const here = (file: string): string => join(import.meta.dirname, file);

/** The program as one script, a function that gets `require`, in ASCII: strings of one byte a character. */
async function bundle(to: string): Promise<void> {
  const { outputFiles } = await build({
    ...NODE_BUNDLE,
    absWorkingDir: root,
    bundle: true,
    write: false,
    minify: true,
    // Errors name functions and classes.
    keepNames: true,
    format: "cjs",
    target: "node24",
    legalComments: "none",
    logLevel: "warning",
    // Nothing is read from its folder.
    define: { ...NODE_BUNDLE.define, "import.meta.url": '"file:///stint.cjs"', "import.meta.dirname": '"/"' },
    entryPoints: [inRoot("host-node/cli/executable.ts")],
  });
  const code = `(function (require, module, exports) {${outputFiles[0]!.text}\n})`;
  // What esbuild leaves are regular expressions, in which this means the same.
  const ascii = code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  writeFileSync(to, ascii, "latin1");
}

function blobOf(platform: Platform, folder: string): Buffer {
  const inFolder = (name: string): string => join(folder, name);
  const config = {
    main: here("loader.cjs"),
    output: inFolder("blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    assets: {
      "stint.cjs": inFolder("stint.cjs"),
      "stint.compiled": inFolder("stint.compiled"),
      "engine.wasm": inRoot("dist/engine.wasm"),
      "openapi.json": inRoot("dist/openapi.json"),
      ...Object.fromEntries(DOCUMENTS.map((name) => [`docs/${name}`, inRoot("docs", name)])),
    },
  };
  const path = inFolder("config.json");
  writeFileSync(path, JSON.stringify(config));
  writeFileSync(config.assets["stint.compiled"], "");
  const env = { NODE_OPTIONS: "" };
  if (platform === ownPlatform()) run(process.execPath, [here("warm-up.cjs"), path], { env });
  run(process.execPath, ["--experimental-sea-config", path], { env });
  return readFileSync(config.output);
}

/** @throws Error when the Node is not made for this */
function switchedOn(node: Buffer): Buffer {
  const at = node.indexOf(`${SWITCH}0`);
  if (at === -1 || node.includes(SWITCH, at + 1)) throw new Error("this Node has no place for a program");
  node.write("1", at + SWITCH.length, "latin1");
  return node;
}

const { platform, folder, out } = parseArgs({
  options: { platform: { type: "string" }, folder: { type: "string" }, out: { type: "string" } },
}).values;
if (platform === undefined || !isPlatform(platform) || folder === undefined || out === undefined)
  throw new Error(`usage: node make.ts --platform ${PLATFORMS.join("|")} --folder SCRATCH --out FILE`);
mkdirSync(folder, { recursive: true });
await bundle(join(folder, "stint.cjs"));
const blob = blobOf(platform, folder);
const node = platform === ownPlatform() ? process.execPath : fileOfNode(platform, "bin/node", folder);
writeFileSync(out, withNote(switchedOn(readFileSync(node)), SECTION, blob));
chmodSync(out, EXECUTABLE);
rmSync(folder, { recursive: true });
