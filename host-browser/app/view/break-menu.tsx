/**
 * The break-it menu: at the pointer, or over the transport. Arrow keys walk it, Escape and a click elsewhere close it,
 * and the focus goes back to where it was.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { type MenuEntry, menuFor } from "../break-it.ts";
import type { OpenMenu } from "../playground.ts";
import { targetOf } from "../target.ts";
import { instantText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { giveFocusBack } from "./focus.ts";

export function BreakMenu() {
  const { menu } = usePlayground();
  return menu.value === undefined ? null : <Menu open={menu.value} />;
}

/** The distance kept to the window's edges. */
const MARGIN = 8;

function Menu({ open }: { readonly open: OpenMenu }) {
  const playground = usePlayground();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    placeMenu(box.current!, open);
    box.current!.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    return () => giveFocusBack(before);
  }, [open]);
  const { branch } = playground.session;
  const { job, pod, node } = playground.selection;
  const picked = { job: job.value, pod: pod.value, node: node.value };
  const atMs = playground.playhead.atMs.value;
  const groups = menuFor(targetOf(branch.value!.timeline, picked, atMs), open.thing);
  const close = (): void => void (playground.menu.value = undefined);
  const choose = ({ action, label, atMs: inputMs }: MenuEntry, title: string): void => {
    close();
    playground.act(action, `${title}: ${label}`, inputMs);
  };
  return (
    <>
      <div class="menu-scrim" onPointerDown={close} />
      <div ref={box} class="menu" role="menu" aria-label="Break it" tabIndex={-1} onKeyDown={walk}>
        <p class="menu-head">At {instantText(atMs)}</p>
        {groups.map(({ title, entries }) => (
          <div key={title} role="group" aria-label={title}>
            <p class="menu-title">{title}</p>
            {entries.map((entry) => (
              <button
                key={entry.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => choose(entry, title)}
              >
                {entry.label}
              </button>
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function placeMenu(menu: HTMLElement, { place }: OpenMenu): void {
  const anchor = document.getElementById("break-it")?.getBoundingClientRect();
  const { x, y } = place ?? { x: anchor?.left ?? MARGIN, y: anchor?.top ?? MARGIN };
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - width - MARGIN))}px`;
  menu.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - height - MARGIN))}px`;
}

function walk(event: KeyboardEvent): void {
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1, Tab: at }[event.key];
  if (to === undefined) return;
  items[(to + items.length) % items.length]?.focus();
  event.preventDefault();
}
