/** What outlives a reload, and what a hostile or full storage does to the page: nothing. */
import { describe, expect, test } from "vitest";
import { Drafts } from "../../../host-browser/app/drafts.ts";
import { Settings } from "../../../host-browser/app/settings.ts";
import { MAX_KEPT_LENGTH, Memory, type TextStore } from "../../../host-browser/app/storage.ts";

class Store implements TextStore {
  readonly kept = new Map<string, string>();
  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.kept.set(key, value);
  }
  removeItem(key: string): void {
    this.kept.delete(key);
  }
}
const refuse = (): never => {
  throw new Error("SecurityError");
};
const BROKEN: TextStore = { getItem: refuse, setItem: refuse, removeItem: refuse };

/** The drafts in a tab; absent: a new one. */
const draftsOf = (store: Store, tab = new Store()): Drafts =>
  new Drafts(new Memory(() => store), new Memory(() => tab));

describe("drafts", () => {
  test("outlive a reload, each for its lesson", () => {
    const store = new Store();
    draftsOf(store).keep("retry", "kind: Job", "kind: Job # mine");
    draftsOf(store).keep("", "kind: Job", "kind: Job # own");
    const after = draftsOf(store);
    expect(after.read("retry")).toBe("kind: Job # mine");
    expect(after.read("retry", "kind: Job")).toBe("kind: Job # mine");
    expect(after.read("retry", "kind: Job # another")).toBeUndefined();
    expect(after.read("", "kind: Job")).toBe("kind: Job # own");
    expect(after.read("other")).toBeUndefined();
    after.forget("other");
    expect(after.read("retry")).toBeDefined();
    after.forget("retry");
    expect(after.read("retry")).toBeUndefined();
  });

  test("of two tabs do not replace each other", () => {
    const [store, one, other] = [new Store(), new Store(), new Store()];
    const name = "stint.playground.draft.retry";
    draftsOf(store, one).keep("retry", "kind: Job", "kind: Job # one");
    expect(draftsOf(store, one).differsFromOther("retry", name)).toBe(false);
    draftsOf(store, other).keep("retry", "kind: Job", "kind: Job # other");
    expect(draftsOf(store, one).read("retry")).toBe("kind: Job # one");
    expect(draftsOf(store, other).read("retry")).toBe("kind: Job # other");
    expect(draftsOf(store).read("retry")).toBe("kind: Job # other");
    const answers = [name, "stint.playground.draft.else", null].map((each) =>
      draftsOf(store, one).differsFromOther("retry", each),
    );
    expect(answers).toEqual([true, false, false]);
    draftsOf(store, one).forget("retry");
    expect(draftsOf(store, other).read("retry")).toBe("kind: Job # other");
    expect(draftsOf(store).read("retry")).toBe("kind: Job # other");
    draftsOf(store, other).forget("retry");
    expect(draftsOf(store).read("retry")).toBeUndefined();
  });

  test("that another program wrote are not taken", () => {
    const store = new Store();
    const drafts = draftsOf(store);
    for (const text of ["{", "null", '{"base":"a"}', '{"base":1,"yaml":2}']) {
      store.kept.set("stint.playground.draft.a", text);
      expect(drafts.read("a"), text).toBeUndefined();
    }
  });

  test.each([
    ["throws", () => BROKEN],
    ["is forbidden", refuse],
    ["is not there", () => undefined],
  ])("are forgotten where storage %s", (_, open) => {
    const drafts = new Drafts(new Memory(open), new Memory(open));
    drafts.keep("a", "", "b");
    expect(drafts.read("a")).toBeUndefined();
    drafts.forget("a");
  });

  test("have a limit", () => {
    const store = new Store();
    new Memory(() => store).write("draft", "x".repeat(MAX_KEPT_LENGTH + 1));
    expect(store.kept.size).toBe(0);
  });
});

describe("settings", () => {
  test("are remembered", () => {
    const store = new Store();
    const settings = new Settings(new Memory(() => store), "");
    expect(settings.theme.value).toBe("auto");
    settings.nextTheme();
    settings.nextTheme();
    settings.toggleLarge();
    const after = new Settings(new Memory(() => store), "");
    expect([after.theme.value, after.isLarge.value, after.isEmbedded]).toEqual(["dark", true, false]);
  });

  test("of an address win, and an embedded page remembers nothing", () => {
    const store = new Store();
    const settings = new Settings(new Memory(() => store), "?embed=1&theme=dark&large=1");
    expect([settings.theme.value, settings.isLarge.value, settings.isEmbedded]).toEqual(["dark", true, true]);
    settings.nextTheme();
    expect(store.kept.size).toBe(0);
    expect(new Settings(new Memory(() => store), "?theme=pink").theme.value).toBe("auto");
  });
});
