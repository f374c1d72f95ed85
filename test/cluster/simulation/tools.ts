/** All tools of a world, at once. */
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import * as rare from "../../../cluster/simulation/rare.ts";
import type { Tools } from "../../../cluster/simulation/tools.ts";

export const allTools: Tools = { readYaml, rare: () => rare, checks: () => rare };
