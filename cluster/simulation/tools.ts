/** The parts of a world that load on first use, and are therefore not in the Worker's main file. */
import type { YamlReader } from "../yaml/yaml-tree.ts";
import type { Scenario } from "./scenario.ts";

export type LazyParts = typeof import("./lazy-parts.ts");

export interface Tools {
  /** Reads the manifest, and those that are applied later. */
  readonly readYaml: YamlReader;
  /** Only called where the user acts on the world, or a rule is about whole pods. */
  lazyParts(): LazyParts;
  /** Finds the mistakes of a scenario; undefined: it has none, and no quota either. */
  checks(scenario: Scenario): LazyParts | undefined;
}
