/**
 * Which key does what. Invariant: a key that the user types into a field, or that presses the focused control, never
 * does anything else. Leaves out the keys of the picture's cursor, which act only while the picture has the focus, and
 * those of the editor.
 */

export type KeyCommand =
  | "play"
  | "back"
  | "forward"
  | "back-fine"
  | "forward-fine"
  | "next-decision"
  | "previous-decision"
  | "next-event"
  | "start"
  | "end"
  | "break"
  | "why"
  | "help"
  | "slower"
  | "faster"
  | "escape";

/** What has the focus when a key is pressed. */
export interface KeyFocus {
  /** Tag in lower case; empty: nothing special. */
  readonly tag: string;
  /** Of an input. */
  readonly type: string;
  readonly isEditable: boolean;
  readonly role: string;
}

export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/** The keys of each command. key-texts.ts has its description. */
export const KEYS: Readonly<Record<KeyCommand, readonly string[]>> = {
  "play": [" "],
  "next-decision": ["n"],
  "previous-decision": ["p"],
  "next-event": ["e"],
  "forward": ["ArrowRight"],
  "back": ["ArrowLeft"],
  "forward-fine": ["Shift+ArrowRight"],
  "back-fine": ["Shift+ArrowLeft"],
  "start": ["Home"],
  "end": ["End"],
  "faster": ["+", "="],
  "slower": ["-"],
  "break": ["b"],
  "why": ["w"],
  "help": ["?"],
  "escape": ["Escape"],
};

const COMMANDS: ReadonlyMap<string, KeyCommand> = new Map(
  (Object.entries(KEYS) as [KeyCommand, readonly string[]][]).flatMap(([command, keys]) =>
    keys.map((key) => [key, command] as const),
  ),
);

/** Keys that buttons, links and tabs handle themselves. */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  button: [" ", "Enter"],
  summary: [" ", "Enter"],
  a: ["Enter"],
  tab: [" ", "Enter", "ArrowLeft", "ArrowRight", "Home", "End"],
  menuitem: [" ", "Enter", "ArrowLeft", "ArrowRight", "Home", "End"],
  range: ["ArrowLeft", "ArrowRight", "Home", "End"],
};
const TEXT_FIELDS = new Set(["input", "textarea", "select"]);

/** @returns undefined: the key is not for the page */
export function commandOf(press: KeyPress, focus: KeyFocus): KeyCommand | undefined {
  if (press.ctrlKey || press.altKey || press.metaKey) return undefined;
  if (press.key === "Escape") return "escape";
  // Into a slider nothing is typed.
  if (focus.isEditable || (TEXT_FIELDS.has(focus.tag) && focus.type !== "range")) return undefined;
  if ([focus.tag, focus.type, focus.role].some((name) => OWN_KEYS[name]?.includes(press.key))) return undefined;
  const isShiftedArrow = press.shiftKey && press.key.startsWith("Arrow");
  return COMMANDS.get(isShiftedArrow ? `Shift+${press.key}` : press.key);
}
