/** What a world uses only now and then, and is therefore not part of the Worker's own file. */
import type { YamlReader } from "../yaml/yaml-tree.ts";
import type { Scenario } from "./scenario.ts";

export type LazyParts = typeof import("./lazy-parts.ts");

export interface Tools {
  /** Reads the manifest, and those that are applied later. */
  readonly readYaml: YamlReader;
  /** Only called where somebody does something to the world, or a rule is about whole pods. */
  lazyParts(): LazyParts;
  /** Finds the mistakes of a scenario; undefined: it is known that it has none, and no quota either. */
  checks(scenario: Scenario): LazyParts | undefined;
}
