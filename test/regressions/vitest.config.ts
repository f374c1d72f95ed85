/** Runs a test file with something planted into cluster/: the plant of plants.ts that `--mode` names. */
import path from "node:path";
import { defineConfig } from "vitest/config";
import { plantedIn } from "./planted.ts";
import { CLUSTER_PLANTS } from "./plants.ts";

const root = path.resolve(import.meta.dirname, "../..");

export default defineConfig(({ mode }) => {
  const plant = CLUSTER_PLANTS.find(({ was }) => was === mode);
  if (plant === undefined) throw new Error(`"${mode}" is no plant of test/regressions/plants.ts`);
  return {
    root,
    plugins: [
      {
        name: "plant",
        enforce: "pre",
        transform: (code, id) => plantedIn(path.relative(root, id), code, plant.edits),
      },
    ],
    // Runs without a plant must not use this cache.
    test: { include: [plant.testFile], reporters: ["json"], cache: false },
  };
});
