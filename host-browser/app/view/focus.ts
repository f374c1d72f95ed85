/** Moves the focus when the focused element is removed. */
import type { PanelName } from "../../../build/panel-names.ts";
import type { Selection } from "../selection.ts";

/** Moves the focus to the tab of a panel that replaces the focused element. @param panel its name */
export function focusTab(panel: PanelName): void {
  document.getElementById(`tab-${panel}`)?.focus();
}

/** Goes back to the panel in which the reader asked for a reason, and to the pressed element. */
export function goBackTo(panel: PanelName, { panel: open, cause }: Selection): void {
  const { of, id } = cause.peek()!;
  focusTab(panel);
  open.value = panel;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`#panel [data-cause="${of} ${id}"]`)?.focus());
}

/** Returns the focus to the element that had it before something opened over it; to the picture where none had it. */
export function giveFocusBack(before: Element | null): void {
  const had = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : undefined;
  (had ?? document.querySelector<HTMLElement>("canvas.canvas"))?.focus();
}

/**
 * When the last entry of a list is removed, the control of the entry before gets the focus, else the heading. When
 * another entry is removed, its control stays, and belongs to the next entry: entries have their numbers as keys.
 */
export function focusBefore(pressed: Element, entry: string, heading: string): void {
  const own = pressed.closest(entry);
  const before = own?.previousElementSibling?.querySelector<HTMLElement>("button:last-child");
  (before ?? own?.closest("section")?.querySelector<HTMLElement>(heading))?.focus();
}

/** A control that is removed when it is pressed passes the focus to one near it, so that the keyboard stays there. */
export function focusNear(pressed: Element, within: string, selector: string): void {
  pressed.closest(within)?.querySelector<HTMLElement>(selector)?.focus();
}
