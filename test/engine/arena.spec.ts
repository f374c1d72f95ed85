/** Memory that is given back as a whole. */
import { giveBack, take } from "../../assembly/memory/arena";

const SIZE: usize = 44;

describe("an arena", () => {
  test("gives places that are zero, apart from one another", () => {
    giveBack();
    const first = take(SIZE);
    memory.fill(first, 0xff, SIZE);
    const second = take(SIZE);
    expect(second).toBe(first + SIZE);
    for (let i: usize = 0; i < SIZE; i += 4) expect(load<u32>(second + i)).toBe(0);
  });

  test("gives the same places again, zero, once all were given back", () => {
    giveBack();
    const first = take(SIZE);
    memory.fill(first, 0xff, SIZE);
    // Several chunks.
    for (let i = 0; i < 5000; i++) take(SIZE);
    giveBack();
    expect(take(SIZE)).toBe(first);
    for (let i: usize = 0; i < SIZE; i += 4) expect(load<u32>(first + i)).toBe(0);
  });

  test("takes no more memory for the same number of places", () => {
    let pages: i32 = 0;
    for (let round = 0; round < 50; round++) {
      for (let i = 0; i < 20000; i++) take(SIZE);
      giveBack();
      if (round == 2) pages = memory.size();
    }
    expect(memory.size()).toBe(pages);
  });
});
