/** Which key does what, and which keys are not the page's. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { runKey } from "../../../host-browser/app/key-commands.ts";
import { KEY_TEXTS } from "../../../host-browser/app/key-texts.ts";
import { commandOf, type KeyFocus, KEYS } from "../../../host-browser/app/keys.ts";
import { Playground } from "../../../host-browser/app/playground.ts";
import { Memory } from "../../../host-browser/app/storage.ts";

afterEach(() => vi.unstubAllGlobals());

const NOTHING: KeyFocus = { tag: "", type: "", isEditable: false, role: "" };
const press = (key: string, more = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  ...more,
});

describe("keys", () => {
  test.each([
    [" ", "play"],
    ["ArrowLeft", "back"],
    ["ArrowRight", "forward"],
    ["n", "next-decision"],
    ["p", "previous-decision"],
    ["e", "next-event"],
    ["Home", "start"],
    ["End", "end"],
    ["?", "help"],
    ["b", "break"],
  ])("%j is %s", (key, command) => {
    expect(commandOf(press(key), NOTHING)).toBe(command);
  });

  test("are all explained", () => {
    expect(KEY_TEXTS.map(([command]) => command).sort()).toEqual(Object.keys(KEYS).sort());
  });

  test("with Shift arrows move finely", () => {
    expect(commandOf(press("ArrowLeft", { shiftKey: true }), NOTHING)).toBe("back-fine");
  });

  test("with Ctrl, Alt or Meta are the browser's", () => {
    for (const modifier of ["ctrlKey", "altKey", "metaKey"])
      expect(commandOf(press("p", { [modifier]: true }), NOTHING)).toBeUndefined();
  });

  test("typed into a field do nothing else, but Escape leaves", () => {
    const { escape: _, ...others } = KEYS;
    const typed = Object.values(others).flat();
    for (const focus of [{ tag: "input" }, { tag: "textarea" }, { tag: "select" }, { isEditable: true }])
      for (const key of typed) expect(commandOf(press(key), { ...NOTHING, ...focus })).toBeUndefined();
    expect(commandOf(press("Escape"), { ...NOTHING, tag: "textarea" })).toBe("escape");
  });

  test("of a slider are its own, and all others are the page's", () => {
    const slider = { ...NOTHING, tag: "input", type: "range" };
    for (const key of ["ArrowLeft", "ArrowRight", "Home", "End"]) expect(commandOf(press(key), slider)).toBeUndefined();
    expect([" ", "n", "p", "b", "?"].map((key) => commandOf(press(key), slider))).toEqual([
      "play",
      "next-decision",
      "previous-decision",
      "break",
      "help",
    ]);
  });

  test("that a control takes itself are the control's", () => {
    expect(commandOf(press(" "), { ...NOTHING, tag: "button" })).toBeUndefined();
    expect(commandOf(press("n"), { ...NOTHING, tag: "button" })).toBe("next-decision");
    expect(commandOf(press("ArrowRight"), { ...NOTHING, tag: "button", role: "tab" })).toBeUndefined();
  });
});

describe("the key for help", () => {
  const memory = new Memory(() => undefined as never);
  const pressHelp = (playground: Playground): boolean =>
    runKey(playground, { ...press("?"), defaultPrevented: false, composedPath: () => [] } as unknown as KeyboardEvent);

  test.each([
    ["", "help"],
    ["?embed=1", undefined],
  ])("in a page with %j opens %j", (query, dialog) => {
    vi.stubGlobal("HTMLElement", class {});
    const playground = new Playground(() => {}, memory, query);
    pressHelp(playground);
    expect(playground.dialog.value).toBe(dialog);
  });
});
