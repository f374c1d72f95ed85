/** The rules of Leases. Source: pkg/registry/coordination/lease, pkg/apis/coordination/validation. */
import type { Lease } from "../../values/kinds.ts";
import type { Strategy } from "../contract/context.ts";
import type { FieldError } from "../contract/status-errors.ts";

export const leaseStrategy: Strategy<Lease> = {
  prepareCreate: (lease) => withoutElection(lease, undefined),
  prepareUpdate: withoutElection,
  validate({ spec = {} }) {
    const errors: FieldError[] = [];
    if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) {
      errors.push({
        kind: "Invalid",
        field: "spec.leaseDurationSeconds",
        value: spec.leaseDurationSeconds,
        detail: "must be greater than 0",
      });
    }
    if (spec.leaseTransitions !== undefined && spec.leaseTransitions < 0) {
      errors.push({
        kind: "Invalid",
        field: "spec.leaseTransitions",
        value: spec.leaseTransitions,
        detail: "must be greater than or equal to 0",
      });
    }
    return errors;
  },
};

/** Upstream drops the fields of coordinated leader election while its feature gate is off, as it is by default. */
function withoutElection(lease: Lease, current: Lease | undefined): Lease {
  const { strategy, preferredHolder, ...spec } = lease.spec ?? {};
  const before = current?.spec;
  if ((strategy === undefined && preferredHolder === undefined) || before?.strategy || before?.preferredHolder)
    return lease;
  return { ...lease, spec };
}
