/** What a Job remembers of its decisions: a ring of the last ones, and what fails since when. */
import "./engine-first";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { release, zeroed } from "../../assembly/memory/records";
import { RecentDecisions } from "../../assembly/model/recent-decisions";
import { blobOfText, textAt } from "./support";

// Rows are addresses to it, and are never read.
const ROW: usize = 4;
const OTHER_ROW: usize = 8;

describe("the ring", () => {
  it("is empty at first, and after it was freed", () => {
    const ring = zeroed<RecentDecisions>();
    expect(ring.length).toBe(0);
    expect(ring.last).toBeNull();
    ring.push().text = blobOfText("a");
    ring.noteTrouble(ROW, blobOfText("b"), 500, 1);
    ring.free();
    expect(ring.length).toBe(0);
    expect(ring.last).toBeNull();
    expect(ring.trouble).toBeNull();
    release<RecentDecisions>(ring);
  });

  it("keeps the last twelve, oldest first", () => {
    const ring = zeroed<RecentDecisions>();
    for (let i = 0; i < 30; ++i) {
      const entry = ring.push();
      // That of the entry whose place it takes is gone.
      expect(entry.text).toBe(0);
      entry.text = blobOfText("text");
      entry.number0 = i;
      expect(ring.last!.number0).toBe(i);
      expect(ring.length).toBe(min(i + 1, 12));
    }
    for (let i = 0; i < 12; ++i) expect(ring.at(i).number0).toBe(18 + i);
    ring.free();
    release<RecentDecisions>(ring);
  });
});

describe("what fails", () => {
  it("has the moment of the first failure of its kind, and text and status of the last", () => {
    const ring = zeroed<RecentDecisions>();
    ring.noteTrouble(ROW, blobOfText("a"), 403, 1000);
    ring.noteTrouble(ROW, blobOfText("b"), 500, 2000);
    const trouble = ring.trouble!;
    expect(textAt(blobAt(trouble.text), blobSize(trouble.text))).toBe("b");
    expect(trouble.decision).toBe(ROW);
    expect(trouble.number0).toBe(500);
    expect(trouble.number1).toBe(2);
    expect(trouble.number2).toBe(1000);
    expect(ring.length).toBe(0);
    ring.free();
    release<RecentDecisions>(ring);
  });

  it("begins again with a failure of another kind, or after nothing failed", () => {
    const ring = zeroed<RecentDecisions>();
    ring.noteTrouble(ROW, blobOfText("a"), 403, 1000);
    ring.noteTrouble(OTHER_ROW, 0, NaN, 2000);
    expect(ring.trouble!.decision).toBe(OTHER_ROW);
    expect(ring.trouble!.number1).toBe(1);
    expect(ring.trouble!.number2).toBe(2000);
    expect(ring.trouble!.text).toBe(0);
    ring.forgetTrouble();
    expect(ring.trouble).toBeNull();
    ring.noteTrouble(OTHER_ROW, 0, NaN, 3000);
    expect(ring.trouble!.number1).toBe(1);
    expect(ring.trouble!.number2).toBe(3000);
    ring.free();
    release<RecentDecisions>(ring);
  });
});
