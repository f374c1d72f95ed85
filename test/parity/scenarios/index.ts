/** All parity scenarios, in the order of the report. */
import type { Scenario } from "../scenario.ts";
import { BASICS } from "./basics.ts";

export const SCENARIOS: readonly Scenario[] = [...BASICS];
