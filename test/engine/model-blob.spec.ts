/** Blobs, shared names and UID lists: who owns what, and that equal bytes compare equal. */
import {
  blobAt,
  blobIs,
  blobsEqual,
  blobSize,
  copyOf,
  cutAtCharacter,
  freeBlob,
  literal,
} from "../../assembly/memory/blob";
import { zeroed } from "../../assembly/memory/records";
import { acquireName, releaseName } from "../../assembly/memory/names";
import { MAX_UID_BYTES, UidList } from "../../assembly/model/uid-list";
import { blobOfText, Random, textAt } from "./support";

function cut(text: string, most: u32): string {
  const blob = blobOfText(text);
  return textAt(blobAt(blob), cutAtCharacter(blobAt(blob), blobSize(blob), most));
}

function acquire(text: string): usize {
  const blob = blobOfText(text);
  return acquireName(blobAt(blob), blobSize(blob));
}

function push(list: UidList, text: string): void {
  const blob = blobOfText(text);
  list.push(blobAt(blob), blobSize(blob));
}

function joined(list: UidList): string {
  let text = "";
  for (let i = 0; i < list.length; ++i) text += textAt(list.at(i), list.size(i)) + ",";
  return text;
}

describe("blobs", () => {
  it("hold any bytes, and 0 is none", () => {
    const blob = blobOfText("aé\0b");
    expect(blobSize(blob)).toBe(5);
    expect(textAt(blobAt(blob), blobSize(blob))).toBe("aé\0b");
    expect(blobSize(0)).toBe(0);
    expect(copyOf(0)).toBe(0);
    freeBlob(0);
  });

  it("are equal by their bytes", () => {
    const a = blobOfText("abc");
    const copy = copyOf(a);
    expect(copy != a).toBe(true);
    expect(blobsEqual(a, copy)).toBe(true);
    expect(blobsEqual(a, blobOfText("abd"))).toBe(false);
    expect(blobsEqual(a, blobOfText("ab"))).toBe(false);
    expect(blobsEqual(a, literal("abc"))).toBe(true);
    expect(blobsEqual(0, 0)).toBe(true);
    expect(blobsEqual(a, 0)).toBe(false);
    expect(blobsEqual(0, a)).toBe(false);
    expect(blobIs(0, blobAt(a), 0)).toBe(false, "an absent text is not an empty one");
    expect(blobIs(blobOfText(""), blobAt(a), 0)).toBe(true);
  });

  it("are cut between characters", () => {
    expect(cut("abc", 3)).toBe("abc");
    expect(cut("abc", 2)).toBe("ab");
    expect(cut("aé", 2)).toBe("a");
    expect(cut("a€b", 3)).toBe("a");
    expect(cut("😀", 3)).toBe("");
    expect(cut("😀b", 4)).toBe("😀");
    expect(cut("abc", 0)).toBe("");
  });
});

describe("names", () => {
  it("are stored once while anybody holds them", () => {
    const first = acquire("default");
    expect(acquire("default")).toBe(first);
    releaseName(first);
    expect(acquire("default")).toBe(first);
    releaseName(first);
    releaseName(first);
    const other = acquire("kube-system");
    expect(textAt(blobAt(other), blobSize(other))).toBe("kube-system");
    releaseName(other);
  });

  it("survive in any order of release, many in one bucket", () => {
    const random = new Random(88172645);
    const held = new StaticArray<usize>(3000);
    for (let i = 0; i < 3000; ++i) held[i] = acquire("namespace-" + i.toString());
    let wrong = 0;
    for (let left = 3000; left > 0; --left) {
      const i = random.below(left);
      const name = held[i];
      const text = textAt(blobAt(name), blobSize(name));
      if (acquire(text) != name) ++wrong;
      releaseName(name);
      releaseName(name);
      held[i] = held[left - 1];
    }
    expect(wrong).toBe(0);
  });
});

describe("UidList", () => {
  it("keeps order and finds nothing that is not there", () => {
    const list = zeroed<UidList>();
    for (let i = 0; i < 30; ++i) push(list, "uid-" + i.toString());
    expect(list.length).toBe(30);
    expect(textAt(list.at(29), list.size(29))).toBe("uid-29");
    const longest = "u".repeat(i32(MAX_UID_BYTES));
    push(list, longest);
    expect(textAt(list.at(30), list.size(30))).toBe(longest);
    list.free();
    expect(list.length).toBe(0);
    push(list, "again");
    expect(joined(list)).toBe("again,");
    list.free();
  });

  it("is filtered in place", () => {
    const list = zeroed<UidList>();
    for (let i = 0; i < 6; ++i) push(list, i.toString());
    let kept = 0;
    for (let i = 0; i < 6; i += 2) list.keep(i, kept++);
    list.truncate(kept);
    expect(joined(list)).toBe("0,2,4,");
    list.free();
  });

  it("copies and compares whole entries", () => {
    const a = zeroed<UidList>();
    const b = zeroed<UidList>();
    push(a, "one");
    push(a, "two");
    expect(a.equals(b)).toBe(false);
    push(b, "an older entry");
    b.copyFrom(a);
    expect(a.equals(b)).toBe(true);
    expect(joined(b)).toBe("one,two,");
    b.truncate(1);
    push(b, "tw");
    expect(a.equals(b)).toBe(false);
    b.truncate(1);
    push(b, "twx");
    expect(a.equals(b)).toBe(false);
    a.free();
    b.free();
  });
});
