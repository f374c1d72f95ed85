/**
 * Unit tests inside the engine (test/engine/*.spec.ts), run by `asp`: each spec is compiled on its own, with the
 * configuration of as-pect.asconfig.json. Leaves out coverage.
 */
export default {
  entries: ["test/engine/**/*.spec.ts"],
  // as-pect falls back to a folder of its own naming when this list is empty; no file matches it.
  include: [],
  disclude: [/node_modules/],
  async instantiate(memory, createImports, instantiate, binary) {
    return instantiate(binary, createImports({ env: { memory } }));
  },
  outputBinary: false,
};
