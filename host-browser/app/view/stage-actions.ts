/**
 * What the pointer, the keys and the table do to the picture and, through it, to the page: pick something, open its
 * menu, move the playhead.
 *
 * Invariant: each way of pointing ends in `pickHit` or `openMenu`, so all of them do the same. Leaves out gestures
 * (pointer.ts).
 */
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import type { Hit, Picture } from "../../picture/picture.ts";
import type { OpenMenu, Playground } from "../playground.ts";
import type { PointerActions } from "./pointer.ts";

/** What the actions act on. */
export interface Acting {
  readonly playground: Playground;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  /** What has a tip. */
  readonly hover: Signal<Hit | undefined>;
  /** Asks for a frame. */
  request(): void;
}

type Place = NonNullable<OpenMenu["place"]>;

/** Marks of one instant, which are wider than that. */
const MARKS: ReadonlySet<string> = new Set(["decision", "flag"]);
const STRIP_KINDS: ReadonlySet<string> = new Set(["controller", "node", "strip"]);

export function openMenu({ playground }: Acting, hit: Pick<Hit, "kind" | "node"> | undefined, place: Place): void {
  const thing = hit?.kind === "controller" || hit?.kind === "node" ? hit.kind : undefined;
  if (thing !== undefined) playground.selection.pickThing(hit?.node);
  playground.openMenu({ place, ...(thing === undefined ? {} : { thing }) });
}

/** @param place where a menu opens; absent: under the thing */
export function pickHit(acting: Acting, hit: Hit, place = placeOf(hit, acting.canvas.current!)): void {
  const { playground, hover } = acting;
  if (hit.kind === "strip") playground.settings.toggleNodes();
  if (hit.kind === "controller" || hit.kind === "node") openMenu(acting, hit, place);
  if (STRIP_KINDS.has(hit.kind)) return;
  if (hit.focus !== undefined) {
    playground.picture.value?.setFocus(hit.focus);
    // Something else is there now.
    hover.value = undefined;
  }
  playground.selection.pick(hit);
  if (hit.kind !== "axis" && hit.kind !== "fold") playground.playhead.seek(MARKS.has(hit.kind) ? hit.ownMs : hit.atMs);
  acting.request();
}

export function pointerActionsOf(acting: Acting): PointerActions {
  const { playground, hover } = acting;
  return {
    changed: () => acting.request(),
    hover: (hit) => (hover.value = hit),
    seek: (atMs) => playground.playhead.seek(atMs),
    pick: (hit, place) => pickHit(acting, hit, place),
    menu: (hit, place) => {
      if (hit !== undefined) playground.selection.mark(hit);
      openMenu(acting, hit, place);
    },
  };
}

/** The cursor goes away, and its tip. */
export function leaveRows({ playground, hover, request }: Acting): void {
  playground.picture.value?.clearCursor();
  hover.value = undefined;
  request();
}

/** A key while the canvas has the focus. */
export function pressKey(acting: Acting, event: KeyboardEvent): void {
  const { playground, canvas, hover } = acting;
  if (event.key === "Escape") leaveRows(acting);
  const made = playground.picture.value;
  if (made?.cursor !== undefined && isMenuKey(event)) {
    event.preventDefault();
    playground.selection.mark(made.cursor);
    openMenu(acting, made.cursor, placeOf(made.cursor, canvas.current!));
  }
  const hit = made === undefined ? undefined : cursorKey(made, event);
  if (hit === undefined) return;
  event.preventDefault();
  if (event.key === "Enter") pickHit(acting, hit);
  hover.value = hit;
  playground.announcement.value = hit.text;
  acting.request();
}

/** Where the menu of a thing opens: under its visible part. */
function placeOf({ box }: Hit, canvas: HTMLCanvasElement): Place {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: left + Math.max(box.x, 24), y: top + box.y + box.height };
}

/** The page's menu key acts on the selection; here it acts on the thing under the cursor. */
function isMenuKey({ key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  if (ctrlKey || altKey || metaKey) return false;
  return key === "ContextMenu" || key === "b" || (shiftKey && key === "F10");
}

/** Up and down enter the rows; from there, left and right go along them. */
function cursorKey(picture: Picture, event: KeyboardEvent): Hit | undefined {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return undefined;
  if (event.key === "ArrowUp") return picture.moveCursor("up");
  if (event.key === "ArrowDown") return picture.moveCursor("down");
  if (picture.cursor === undefined) return undefined;
  if (event.key === "ArrowLeft") return picture.moveCursor("left");
  if (event.key === "ArrowRight") return picture.moveCursor("right");
  if (event.key === "Enter") return picture.cursor;
  return undefined;
}
