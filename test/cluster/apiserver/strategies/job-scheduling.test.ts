/**
 * `spec.scheduling` of objects that were written while gang scheduling was on, on a server that has it off. The rules
 * while it is on are in test/host-node/embedded/scheduling.test.ts.
 */
import { expect, test } from "vitest";
import {
  keptSchedulingErrors,
  templateSchedulingErrors,
} from "../../../../cluster/apiserver/strategies/job-scheduling.ts";
import type { FieldError } from "../../../../cluster/apiserver/contract/status-errors.ts";
import type { JobSpec } from "../../../../cluster/values/kinds.ts";

const OFF = { gangScheduling: false };
const without = { template: {} } as unknown as JobSpec;
const withGang = (minCount: number): JobSpec => ({
  ...without,
  scheduling: { schedulingPolicy: { gang: { minCount } } },
});
const lines = (errors: readonly { field: string; kind: string; detail?: string }[]): string[] =>
  errors.map(({ field, kind, detail }) => `${field} ${kind} ${detail}`);

test.each([
  ["unchanged", withGang(2), []],
  ["changed", withGang(3), ["scheduling Forbidden "]],
  ["gone", without, ["scheduling Invalid field cannot be cleared once set"]],
])("it may stay, and nothing else: %s", (_, spec, expected) => {
  expect(lines(keptSchedulingErrors(spec, withGang(2), OFF))).toEqual(expected.map((line) => `spec.${line}`));
  expect(lines(templateSchedulingErrors(spec, withGang(2), OFF, []) as FieldError[])).toEqual(
    expected.map((line) => `spec.jobTemplate.spec.${line}`),
  );
});
