/** The notation of the rows in scripts/schema/fields/: marks of a struct, and what a word says of a field. */
import { describe, expect, it, test } from "vitest";
import { allStructs, type GoField, goName, goStruct, readRow, typeName } from "../../scripts/schema/fields.ts";

const field = (word: string): Partial<GoField> => readRow("Some", word).fields[0]!;

describe("the marks of a struct", () => {
  test("say who has the kind, whether code reads it, and its class", () => {
    expect(readRow("Lease", "@everywhere metadata spec")).toMatchObject({
      className: "V1Lease",
      servedBy: "everywhere",
      isRead: true,
      isAtomic: false,
    });
    expect(readRow("Event", "@served @unread @atomic @class=CoreV1Event metadata")).toMatchObject({
      className: "CoreV1Event",
      servedBy: "served",
      isRead: false,
      isAtomic: true,
    });
    expect(readRow("LeaseSpec", "holderIdentity*")).toMatchObject({
      className: undefined,
      servedBy: undefined,
      isRead: false,
    });
  });

  it("are no fields", () => {
    expect(readRow("Some", "@served a b").fields.map(({ name, number }) => `${name}=${number}`)).toEqual([
      "a=1",
      "b=2",
    ]);
  });

  it.each(["@serve", "@class=", "a[", "a[]", "a[apply:]", "a[both:name]", "a=x", "a:", "a~"])(
    "are known: %s is refused",
    (word) => {
      expect(() => readRow("Some", `ok ${word}`)).toThrow(
        `scripts/schema/fields/: Some has "${word}", which is neither a mark nor a field`,
      );
    },
  );
});

test("numbers follow each other, also inside an embedded message", () => {
  const numbers = readRow("Some", "a=4 b c=1.7 d e=2").fields.map(({ number }) => number);
  expect(numbers).toEqual(["4", "5", "1.7", "1.8", "2"]);
});

test("a word has all that Go says of a field", () => {
  expect(field("some-thing*!?=3:Quantity~types.UID[set]")).toEqual({
    name: "some-thing",
    isPointer: true,
    omitEmpty: false,
    omitZero: true,
    number: "3",
    type: "Quantity",
    goType: "types.UID",
    listType: "set",
    mergeKey: "",
  });
});

test("a named string type has its values, and is printed unless it is that of elements", () => {
  const values = ["Always", "Never", "OnFailure"];
  expect(field("a~RestartPolicy")).toMatchObject({ goType: "v1.RestartPolicy", values });
  expect(field("a~v1beta1.RestartPolicy")).toMatchObject({ goType: "v1beta1.RestartPolicy", values });
  expect(field("a~[]RestartPolicy")).toMatchObject({ values });
  expect(field("a~[]RestartPolicy")).not.toHaveProperty("goType");
  expect(field("a~HostPathType").values!.slice(0, 2)).toEqual(["", "BlockDevice"]);
  expect(field("a~PodSpec")).not.toHaveProperty("values");
});

test.each([
  ["[type]", "map type", "type"],
  ["[port,protocol=TCP]", "map port protocol=TCP", "port"],
  ["[apply:driver,pool]", "map driver pool", undefined],
  ["[patch:type]", undefined, "type"],
  ["[set]", "set", ""],
  ["[apply:set]", "set", undefined],
  ["[atomic]", "atomic", undefined],
  ["[granular]", "granular", undefined],
  ["[replace]", undefined, "replace"],
])("%s says how a field is merged", (mark, listType, mergeKey) => {
  const { listType: ofApply, mergeKey: ofPatch } = field(`list!${mark}`);
  expect([ofApply, ofPatch]).toEqual([listType, mergeKey]);
});

test("a class has the name of its Go struct, unless a row says another", () => {
  const classes = ["V1PodSpec", "V1CSINode", "CoreV1Event", "V1beta1PodGroup", "V1alpha2LeaseCandidate", "V2Metric"];
  const names = ["PodSpec", "CSINode", "Event", "PodGroup", "LeaseCandidate", "Metric"];
  expect(classes.map(goName)).toEqual(names);
  expect(["V1PodSpec", "EventsV1Event"].map(typeName)).toEqual(["PodSpec", "EventsEvent"]);
});

test("no two rows are of one class", () => {
  const classes = allStructs.flatMap(({ className }) => className ?? []);
  expect(new Set(classes).size).toBe(classes.length);
});

it("says which row is missing", () => {
  expect(() => goStruct("Nothing")).toThrow(
    "scripts/schema/fields/ has no row for Nothing: add it, as types.go has it",
  );
});
