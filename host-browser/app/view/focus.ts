/** Where the focus goes when what has it goes away. */
import type { Panel, Selection } from "../selection.ts";

/**
 * Moves the focus to the tab of a panel that is about to open in the place of what has it.
 * @param panel its name
 */
export function focusTab(panel: Panel): void {
  document.getElementById(`tab-${panel}`)?.focus();
}

/** Goes back to the panel in which a reason was asked for, and to what was pressed there. */
export function goBackTo(panel: Panel, { panel: open, cause }: Selection): void {
  const { of, id } = cause.peek()!;
  focusTab(panel);
  open.value = panel;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`#panel [data-cause="${of} ${id}"]`)?.focus());
}

/** What had the focus before something opened over it gets it again; the picture does where nothing had it. */
export function giveFocusBack(before: Element | null): void {
  const had = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : undefined;
  (had ?? document.querySelector<HTMLElement>("canvas.canvas"))?.focus();
}

/**
 * The last entry of a list goes away: the control of the one before gets the focus, else the heading. Of any other
 * entry the control stays, and is that of the next entry from then on: entries have their numbers as keys.
 */
export function focusBefore(pressed: Element, entry: string, heading: string): void {
  const own = pressed.closest(entry);
  const before = own?.previousElementSibling?.querySelector<HTMLElement>("button:last-child");
  (before ?? own?.closest("section")?.querySelector<HTMLElement>(heading))?.focus();
}

/** A control that goes away when it is pressed gives the focus to one near it, so that the keyboard stays there. */
export function focusNear(pressed: Element, within: string, selector: string): void {
  pressed.closest(within)?.querySelector<HTMLElement>(selector)?.focus();
}
