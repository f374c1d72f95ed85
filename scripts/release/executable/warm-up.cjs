/**
 * Writes the compiled code of the program, after some commands have run: `node warm-up.cjs CONFIG`, with the config of
 * the executable. It has the functions that these commands use. It runs in the Node that the executable will be.
 */
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const { assets } = JSON.parse(readFileSync(process.argv[2], "utf8"));
// The program reads its files as it will in the executable.
const sea = { isSea: () => true, getRawAsset: (name) => new Uint8Array(readFileSync(assets[name])).buffer };
const { getBuiltinModule } = process;
process.getBuiltinModule = (name) => (name === "node:sea" ? sea : getBuiltinModule(name));

const script = new Script(readFileSync(assets["stint.cjs"], "latin1"), { filename: "stint.cjs" });
const program = { exports: {} };
script.runInThisContext()(require, program, program.exports);

const job = join(__dirname, "../../../examples/retry.yaml");
/** What starts most often: checks of manifests, simulated runs. */
const COMMANDS = [["version"], ["lint", job], ["run", "--runtime", "simulated", job]];

async function warmUp() {
  for (const words of COMMANDS) await program.exports.start(words);
  writeFileSync(assets["stint.compiled"], script.createCachedData());
}
void warmUp();
