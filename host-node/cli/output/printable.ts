/**
 * Text from containers and from the API made harmless for a terminal.
 *
 * Invariant: what comes out holds no control character but the tab, no C1 control and no character that turns the
 * direction of text, so a log line can neither move the cursor, change colours or the title, nor hide a part of itself.
 */

// eslint-style escapes on purpose: the very characters would be invisible here.
const HARMFUL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of output. Of parts that a carriage return would draw over one another the last one is kept, as a terminal shows it. */
export function printable(line: string): string {
  const withoutEnd = line.replace(/[\r\n]+$/, "");
  return withoutEnd.slice(withoutEnd.lastIndexOf("\r") + 1).replace(HARMFUL, escaped);
}

/** Caret notation for what a keyboard makes (`^[` is escape), the code for the rest. */
function escaped(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 64)}`;
  return code === 0x7f ? "^?" : `\\u${code.toString(16).padStart(4, "0")}`;
}
