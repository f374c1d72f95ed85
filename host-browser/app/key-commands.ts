/** What the page does for each key command. Leaves out which key that is (keys.ts). */
import { commandOf, type KeyCommand, type KeyFocus } from "./keys.ts";
import type { Playground } from "./playground.ts";

/** Arrow keys move by this part of the run, and with Shift by a twentieth of it. */
const STEPS = 100;
const FINE = 20;

/** @returns true: the key was for the page */
export function runKey(playground: Playground, event: KeyboardEvent): boolean {
  // The picture's cursor, a menu or the editor handled the key and called preventDefault.
  if (event.defaultPrevented) return false;
  const command = commandOf(event, focusOf(event.composedPath()[0]));
  if (command === undefined) return false;
  // An open dialog or menu gets all keys.
  if ((playground.dialog.value !== undefined || playground.menu.value !== undefined) && command !== "escape")
    return false;
  run(playground, command);
  return true;
}

function focusOf(target: EventTarget | undefined): KeyFocus {
  if (!(target instanceof HTMLElement)) return { tag: "", type: "", isEditable: false, role: "" };
  return {
    tag: target.localName,
    type: target.getAttribute("type") ?? "",
    isEditable: target.isContentEditable,
    role: target.getAttribute("role") ?? "",
  };
}

function run(playground: Playground, command: KeyCommand): void {
  const { playhead, session, settings } = playground;
  const step = Math.max(1, session.nowMs.value / STEPS);
  const by = (ms: number): void => playhead.seek(Math.round(playhead.atMs.value + ms));
  const actions: Readonly<Record<KeyCommand, () => void>> = {
    "play": () => playhead.toggle(),
    "back": () => by(-step),
    "forward": () => by(step),
    "back-fine": () => by(-Math.max(1, step / FINE)),
    "forward-fine": () => by(Math.max(1, step / FINE)),
    "next-decision": () => playhead.toNextDecision(),
    "previous-decision": () => playhead.toPreviousDecision(),
    "next-event": () => playhead.toNextEvent(),
    "start": () => playhead.toStart(),
    "end": () => playhead.toEnd(),
    "slower": () => playhead.changeSpeed(-1),
    "faster": () => playhead.changeSpeed(1),
    "break": () => playground.openMenu(),
    "why": () => (playground.selection.panel.value = "why"),
    "help": () => {
      // An embedded page has no dialogs; an invisible one would keep all keys.
      if (!settings.isEmbedded) playground.dialog.value = "help";
    },
    "escape": () => playground.closeAll(),
  };
  actions[command]();
}
