/**
 * What Node runs in a single executable: it compiles the program, with the compiled code that was made with it. Node's
 * own `useCodeCache` has only the functions that run at once, and is made for no other platform.
 */
const sea = require("node:sea");
const { Script } = require("node:vm");

const compiled = new Uint8Array(sea.getRawAsset("stint.compiled"));
// Where it does not fit, as with other flags in $NODE_OPTIONS, the program is compiled as usual.
const script = new Script(sea.getAsset("stint.cjs", "latin1"), {
  filename: "stint.cjs",
  cachedData: compiled.length === 0 ? undefined : compiled,
});
const program = { exports: {} };
script.runInThisContext()(require, program, program.exports);
void program.exports.start(process.argv.slice(2));
