/** The status rules over plain facts, as the sync asks them. All rules are in the vectors, over API objects. */
import { FieldErrors } from "../../assembly/admission/field-errors";
import {
  checkStatus,
  COMPLETE,
  FAILED,
  FAILURE_TARGET,
  RESUMED,
  StatusFacts,
  StatusSpec,
  SUCCESS_CRITERIA_MET,
  SUSPENDED,
} from "../../assembly/admission/status-rules";

function problems(
  next: StatusFacts,
  stored: StatusFacts = new StatusFacts(),
  spec: StatusSpec = new StatusSpec(),
): string {
  const errors = new FieldErrors();
  checkStatus(next, stored, spec, errors);
  return errors.length == 0 ? "" : errors.text();
}

function finished(conditions: u32): StatusFacts {
  const facts = new StatusFacts();
  facts.conditions = conditions;
  facts.startTimeMs = 1000;
  if (conditions & COMPLETE) facts.completionTimeMs = 2000;
  return facts;
}

describe("checkStatus", () => {
  it("has nothing against a new Job, success and failure", () => {
    expect(problems(new StatusFacts())).toBe("");
    expect(problems(finished(SUCCESS_CRITERIA_MET | COMPLETE))).toBe("");
    expect(problems(finished(FAILURE_TARGET | FAILED))).toBe("");
  });

  it("names what the API server would name", () => {
    const next = finished(COMPLETE);
    next.active = 2;
    next.startTimeMs = NaN;
    expect(problems(next)).toBe(
      "[status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition, status.active: Invalid value: 2: active>0 is invalid for finished job, status.startTime: Required value: startTime is required for finished job]",
    );
  });

  it("asks for rules about changes only when there is a change", () => {
    const broken = finished(COMPLETE);
    expect(problems(broken, broken)).toBe("");
  });

  it("reads index texts where they lie", () => {
    const spec = new StatusSpec();
    spec.indexed = true;
    spec.completions = 3;
    spec.hasBackoffLimitPerIndex = true;
    const next = new StatusFacts();
    const completed = String.UTF8.encode("0-1,junk");
    next.completedIndexes = changetype<usize>(completed);
    next.completedIndexesLength = 3;
    expect(problems(next, new StatusFacts(), spec)).toBe("");
    const failed = String.UTF8.encode("1");
    next.failedIndexes = changetype<usize>(failed);
    next.failedIndexesLength = 1;
    expect(problems(next, new StatusFacts(), spec)).toBe(
      'status.failedIndexes: Invalid value: "1": failedIndexes and completedIndexes overlap at index: 1',
    );
    next.failedIndexesLength = 0;
    expect(problems(next, new StatusFacts(), spec)).toBe("");
    spec.hasBackoffLimitPerIndex = false;
    expect(problems(next, new StatusFacts(), spec)).toBe(
      'status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    );
  });

  it("lets the startTime change on resuming only", () => {
    const stored = finished(SUSPENDED);
    const next = finished(RESUMED);
    next.startTimeMs = 5000;
    expect(problems(next, stored)).toBe("");
    next.conditions = 0;
    expect(problems(next, stored)).toBe(
      'status.startTime: Invalid value: "1970-01-01T00:00:05Z": field is immutable for unsuspended job once set',
    );
  });
});
