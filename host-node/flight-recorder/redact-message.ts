/**
 * Takes out of a message of the API server what it quotes of an object: the value that is not valid, and every other
 * quoted text that is not known to be a name. `Invalid value: "hunter2": must be a number` keeps all but `"hunter2"`.
 *
 * Invariant: an unknown form of quoting is redacted, not kept. Numbers, `true`, `false` and `null` stay; they explain
 * much and reveal little. Leaves out text without quotes, such as the message of a webhook.
 */
import { REDACTED } from "../../cluster/observed/redact.ts";

/** The text before a value, in refusals of fields, and before any other quoted text. */
const PLACE = /(?:Invalid|Unsupported|Duplicate) value: |Not found: |"/g;
/** Quoted text up to its end, or to the end of a message that was cut. `"""` begins lines of any text. */
const QUOTED = /""".*|"(?:[^"\\]|\\.)*"?/y;
const PLAIN_VALUE = /^(?:-?\d[\d.]*|true|false|null)$/;
/** Names of things come after these words, or before those. */
const BEFORE_NAME =
  /(?:\b(?:User|resource|API group|namespace|webhook|kind|version|field)|supported values:|fulfilled on [\w.]+) $/;
const AFTER_NAME = /^ (?:is forbidden|is invalid|not found|already exists)\b/;
const BETWEEN_NAMES = /^(?:, | or | and )$/;
/** The checks of Pod Security quote names of containers and volumes, and values that the standards define. */
const POD_SECURITY = '" is forbidden: violates PodSecurity "';
/** The longest of the words before a name. */
const LOOK_BACK = 80;

export function redactedMessage(message: string): string {
  const [line = ""] = message.split("\n", 1);
  const security = line.indexOf(POD_SECURITY);
  const end = security < 0 ? line.length : security + 1;
  const text = redactedLine(line.slice(0, end), line.slice(end)) + line.slice(end);
  // Further lines show differences between objects.
  return line.length === message.length ? text : `${text} ${REDACTED}`;
}

/** @param after what follows the text, and is kept */
function redactedLine(text: string, after: string): string {
  let redacted = "";
  let doneTo = 0;
  let nameEnd = -1;
  PLACE.lastIndex = 0;
  for (let place = PLACE.exec(text); place !== null; place = PLACE.exec(text)) {
    const isQuote = place[0] === '"';
    const start = isQuote ? place.index : PLACE.lastIndex;
    const end = isQuote ? quoteEnd(text, start) : valueEnd(text, start);
    const isName =
      isQuote &&
      (BEFORE_NAME.test(text.slice(Math.max(0, start - LOOK_BACK), start)) ||
        AFTER_NAME.test(text.slice(end) + after) ||
        (nameEnd >= 0 && BETWEEN_NAMES.test(text.slice(nameEnd, start))));
    if (isName) nameEnd = end;
    const isKept = isName || end === start || PLAIN_VALUE.test(text.slice(start, end));
    redacted += text.slice(doneTo, start) + (isKept ? text.slice(start, end) : REDACTED);
    doneTo = end;
    PLACE.lastIndex = end;
  }
  return redacted + text.slice(doneTo);
}

function quoteEnd(text: string, start: number): number {
  QUOTED.lastIndex = start;
  QUOTED.test(text);
  return QUOTED.lastIndex;
}

/** A value is JSON, quoted text or one word, and `: ` or `, ` follows. @returns `start` when there are only words */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = quoteEnd(text, at) - 1;
    else if ("{[(".includes(char)) depth++;
    else if ("}])".includes(char) && --depth < 0) return at;
    else if (depth === 0 && (char === ":" || char === ",") && text[at + 1] === " ") return at;
    else if (depth === 0 && char === " ") return start;
  }
  return text.length;
}
