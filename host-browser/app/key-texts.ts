/** What keys do, in words, in the order of the help page. */
import type { KeyCommand } from "./keys.ts";

export const KEY_TEXTS: readonly (readonly [command: KeyCommand, text: string])[] = [
  ["play", "play or pause"],
  ["next-decision", "to the next decision of the controller"],
  ["previous-decision", "to the decision before"],
  ["next-event", "to the next event"],
  ["forward", "forward in time"],
  ["back", "back in time"],
  ["forward-fine", "a little forward"],
  ["back-fine", "a little back"],
  ["start", "to the start"],
  ["end", "to the newest instant"],
  ["faster", "faster"],
  ["slower", "slower"],
  ["break", "break it: what can be done to what is selected"],
  ["why", "why: the reason of what is selected"],
  ["help", "this list"],
  ["escape", "close what is open"],
];
