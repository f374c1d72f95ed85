/** Conditions: which type is which, what hides what, and which one ends a Job. */
import "./engine-first";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import {
  Condition,
  CONDITION_COMPLETE,
  CONDITION_FAILED,
  CONDITION_FAILURE_TARGET,
  CONDITION_FOREIGN,
  CONDITION_SUCCESS_CRITERIA_MET,
  CONDITION_SUSPENDED,
  conditionTypeName,
  conditionTypeOf,
  findTerminal,
  findTrue,
  freeConditions,
  keepOnly,
} from "../../assembly/model/condition";
import { zeroed } from "../../assembly/memory/records";
import { blobOfText, textAt } from "./support";

function condition(type: u8, isTrue: bool, next: Condition | null): Condition {
  const made = zeroed<Condition>();
  made.type = type;
  made.isTrue = isTrue;
  made.raw = blobOfText("{}");
  made.message = blobOfText("message");
  made.next = next;
  return made;
}

function typeOf(name: string): u8 {
  const blob = blobOfText(name);
  return conditionTypeOf(blobAt(blob), blobSize(blob));
}

describe("condition types", () => {
  it("are known by name", () => {
    expect(typeOf("Suspended")).toBe(CONDITION_SUSPENDED);
    expect(typeOf("FailureTarget")).toBe(CONDITION_FAILURE_TARGET);
    expect(typeOf("Failed")).toBe(CONDITION_FAILED);
    expect(typeOf("SuccessCriteriaMet")).toBe(CONDITION_SUCCESS_CRITERIA_MET);
    expect(typeOf("Complete")).toBe(CONDITION_COMPLETE);
    expect(typeOf("complete")).toBe(CONDITION_FOREIGN);
    expect(typeOf("Completed")).toBe(CONDITION_FOREIGN);
    expect(typeOf("")).toBe(CONDITION_FOREIGN);
    const name = conditionTypeName(CONDITION_COMPLETE);
    expect(textAt(blobAt(name), blobSize(name))).toBe("Complete");
  });
});

describe("findTrue", () => {
  it("looks at the first of a type only", () => {
    const last = condition(CONDITION_FAILURE_TARGET, true, null);
    const list = condition(CONDITION_FOREIGN, true, condition(CONDITION_FAILURE_TARGET, false, last));
    expect(findTrue(list, CONDITION_FAILURE_TARGET) === null).toBe(true, "an entry that is False hides later ones");
    expect(findTrue(last, CONDITION_FAILURE_TARGET) === last).toBe(true);
    expect(findTrue(null, CONDITION_FAILURE_TARGET) === null).toBe(true);
    freeConditions(list);
  });
});

describe("findTerminal", () => {
  it("takes the first that is Complete or Failed and True", () => {
    const complete = condition(CONDITION_COMPLETE, true, condition(CONDITION_FAILED, true, null));
    const list = condition(CONDITION_FAILED, false, condition(CONDITION_SUCCESS_CRITERIA_MET, true, complete));
    expect(findTerminal(list) === complete).toBe(true);
    expect(findTerminal(null) === null).toBe(true);
    freeConditions(list);
  });
});

describe("keepOnly", () => {
  it("keeps one condition, without its JSON, wherever it is in the list", () => {
    for (let place = 0; place < 3; ++place) {
      const kept = condition(CONDITION_COMPLETE, true, null);
      let list: Condition = kept;
      for (let i = place; i < 2; ++i) kept.next = condition(CONDITION_FOREIGN, true, kept.next);
      for (let i = 0; i < place; ++i) list = condition(CONDITION_FOREIGN, true, list);
      const left = keepOnly(list, kept);
      expect(left === kept).toBe(true);
      expect(left.next === null).toBe(true);
      expect(left.raw).toBe(0);
      expect(textAt(blobAt(left.message), blobSize(left.message))).toBe("message");
      freeConditions(left);
    }
  });
});
