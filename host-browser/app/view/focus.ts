/** A control that goes away when it is pressed gives the focus to one near it, so that the keyboard stays there. */
export function focusNear(pressed: Element, within: string, selector: string): void {
  pressed.closest(within)?.querySelector<HTMLElement>(selector)?.focus();
}
