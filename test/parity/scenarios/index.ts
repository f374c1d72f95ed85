/** All parity scenarios, in the order of the report. */
import type { Scenario } from "../scenario.ts";
import { BASICS } from "./basics.ts";
import { FAILURES } from "./failures.ts";
import { GANGS } from "./gangs.ts";
import { LIFE_CYCLE } from "./life-cycle.ts";
import { POLICIES } from "./policies.ts";
import { TAKEOVERS } from "./takeovers.ts";
import { VERSIONS } from "./versions.ts";

export const SCENARIOS: readonly Scenario[] = [
  ...BASICS,
  ...FAILURES,
  ...POLICIES,
  ...LIFE_CYCLE,
  ...GANGS,
  ...TAKEOVERS,
  ...VERSIONS,
];
