/** Interval sets from the inside: what a caller in the engine relies on beyond the text that goes in and out. */
import { IntervalSet } from "../../assembly/intervals/intervals";

function parsed(text: string, completions: i32): IntervalSet {
  const utf8 = String.UTF8.encode(text);
  const set = new IntervalSet();
  set.parse(changetype<usize>(utf8), utf8.byteLength, completions);
  return set;
}

function formatted(set: IntervalSet): string {
  const buffer = new ArrayBuffer(<i32>set.formattedBytesMax());
  const length = set.format(changetype<usize>(buffer));
  return String.UTF8.decodeUnsafe(changetype<usize>(buffer), length);
}

describe("IntervalSet", () => {
  it("is empty when new, and after clear and free", () => {
    const set = new IntervalSet();
    expect(formatted(set)).toBe("");
    expect(set.contains(0)).toBe(false);
    expect(set.firstMissingFrom(3)).toBe(3);
    set.addRange(2, 9);
    set.clear();
    expect(set.count).toBe(0);
    set.addRange(2, 9);
    set.free();
    expect(formatted(set)).toBe("");
    expect(set.add(4)).toBe(true);
    expect(formatted(set)).toBe("4");
  });

  it("lives in zeroed memory of another record", () => {
    const memory = new ArrayBuffer(offsetof<IntervalSet>());
    const set = changetype<IntervalSet>(changetype<usize>(memory));
    set.add(7);
    expect(set.count).toBe(1);
    set.free();
  });

  it("gives its intervals out one by one", () => {
    const set = parsed("0,4,5,10-12", 100);
    expect(set.length).toBe(3);
    expect(set.firstAt(1)).toBe(4);
    expect(set.lastAt(1)).toBe(5);
    expect(set.firstAt(2)).toBe(10);
    expect(set.lastAt(2)).toBe(12);
    expect(set.count).toBe(6);
  });

  it("never writes behind formattedBytesMax", () => {
    for (let power = 0; power < 10; power++) {
      const last = i32(10) ** power;
      const set = new IntervalSet();
      set.add(last);
      set.addRange(last + 5, last + 9);
      const bytes = set.formattedBytesMax();
      const buffer = new Uint8Array(<i32>bytes + 16);
      buffer.fill(0xa5);
      set.format(buffer.dataStart);
      for (let i = <i32>bytes; i < buffer.length; i++) expect(buffer[i]).toBe(0xa5);
      set.free();
    }
  });

  it("does not look at bytes behind the text", () => {
    const digits = String.UTF8.encode("1,2345678,99999999999999999999");
    const set = new IntervalSet();
    set.parse(changetype<usize>(digits), 4, 100);
    expect(formatted(set)).toBe("1,23");
  });

  it("adds a set to itself", () => {
    const set = parsed("1-3,5,8-11", 100);
    set.addSet(set);
    expect(formatted(set)).toBe("1-3,5,8-11");
    expect(set.count).toBe(8);
  });

  it("holds the highest index there can be", () => {
    const set = parsed("2147483645,2147483646", i32.MAX_VALUE);
    expect(set.count).toBe(2);
    expect(set.firstMissingFrom(2147483645)).toBe(2147483647);
    expect(formatted(set)).toBe("2147483645,2147483646");
  });
});
