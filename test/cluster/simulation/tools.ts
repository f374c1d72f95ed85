/** All tools of a world, at once. */
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import * as lazyParts from "../../../cluster/simulation/lazy-parts.ts";
import type { Tools } from "../../../cluster/simulation/tools.ts";

export const allTools: Tools = { readYaml, lazyParts: () => lazyParts, checks: () => lazyParts };
