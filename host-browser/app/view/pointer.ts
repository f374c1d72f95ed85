/**
 * What mouse, pen and fingers do in the picture: a click picks, a drag along the axis or the minimap scrubs, a drag
 * elsewhere moves the view when it is nearer than the whole, the wheel zooms with Ctrl, and a right click or a long
 * press opens the menu. A finger that moves up or down scrolls the page.
 */
import type { Hit, Picture } from "../../picture/picture.ts";

export interface PointerActions {
  /** The picture has to be drawn. */
  changed(): void;
  hover(hit: Hit | undefined): void;
  seek(atMs: number): void;
  /** @param place CSS pixels of the window */
  pick(hit: Hit, place: { readonly x: number; readonly y: number }): void;
  /** @param place CSS pixels of the window */
  menu(hit: Hit | undefined, place: { readonly x: number; readonly y: number }): void;
}

/** A press that moves less is a click. */
const CLICK_PX = 5;
const LONG_PRESS_MS = 550;
const ZOOM_PER_PX = 1.003;

interface Drag {
  readonly kind: "axis" | "minimap" | "body";
  readonly x: number;
  readonly y: number;
  lastX: number;
  hasMoved: boolean;
  longPress: ReturnType<typeof setTimeout> | undefined;
}

/** @returns what detaches it */
export function attachPointer(canvas: HTMLCanvasElement, picture: Picture, actions: PointerActions): () => void {
  let drag: Drag | undefined;
  const pointOf = ({ clientX, clientY }: MouseEvent): [number, number] => {
    const { left, top } = canvas.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };

  const scrub = (kind: Drag["kind"], x: number, y: number): void => {
    const atMs = kind === "minimap" ? picture.minimapTimeAt(x, y) : picture.timeAt(x);
    if (atMs !== undefined) actions.seek(atMs);
    actions.changed();
  };
  const end = (): void => {
    clearTimeout(drag?.longPress);
    drag = undefined;
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const [x, y] = pointOf(event);
    const kind = kindAt(picture, x, y);
    end();
    drag = { kind, x, y, lastX: x, hasMoved: false, longPress: undefined };
    if (kind !== "body") {
      canvas.setPointerCapture(event.pointerId);
      scrub(kind, x, y);
    } else if (event.pointerType !== "mouse")
      drag.longPress = setTimeout(() => {
        end();
        actions.menu(picture.hit(x, y), { x: event.clientX, y: event.clientY });
      }, LONG_PRESS_MS);
  };
  const move = (event: PointerEvent): void => {
    const [x, y] = pointOf(event);
    picture.setPointer(x, y);
    actions.changed();
    if (drag === undefined) {
      actions.hover(picture.hit(x, y));
      return;
    }
    if (Math.hypot(x - drag.x, y - drag.y) > CLICK_PX) {
      drag.hasMoved = true;
      clearTimeout(drag.longPress);
    }
    if (drag.kind !== "body") scrub(drag.kind, x, y);
    else if (drag.hasMoved) {
      canvas.setPointerCapture(event.pointerId);
      picture.pan(x - drag.lastX);
      drag.lastX = x;
    }
  };
  const up = (event: PointerEvent): void => {
    const [x, y] = pointOf(event);
    const hit = drag?.kind === "body" && !drag.hasMoved ? picture.hit(x, y) : undefined;
    end();
    if (hit !== undefined) actions.pick(hit, { x: event.clientX, y: event.clientY });
  };
  const leave = (): void => {
    picture.setPointer();
    actions.hover(undefined);
    actions.changed();
  };
  const menu = (event: MouseEvent): void => {
    event.preventDefault();
    end();
    actions.menu(picture.hit(...pointOf(event)), { x: event.clientX, y: event.clientY });
  };
  const wheel = (event: WheelEvent): void => {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !isSideways) return;
    event.preventDefault();
    if (event.ctrlKey) picture.zoom(ZOOM_PER_PX ** -event.deltaY, pointOf(event)[0]);
    else picture.pan(-(event.deltaX === 0 ? event.deltaY : event.deltaX));
    actions.changed();
  };

  const listeners = new AbortController();
  const { signal } = listeners;
  canvas.addEventListener("pointerdown", down, { signal });
  canvas.addEventListener("pointermove", move, { signal });
  canvas.addEventListener("pointerup", up, { signal });
  canvas.addEventListener("pointercancel", end, { signal });
  canvas.addEventListener("pointerleave", leave, { signal });
  canvas.addEventListener("contextmenu", menu, { signal });
  canvas.addEventListener("wheel", wheel, { signal, passive: false });
  return () => {
    end();
    listeners.abort();
  };
}

function kindAt(picture: Picture, x: number, y: number): Drag["kind"] {
  if (picture.minimapTimeAt(x, y) !== undefined) return "minimap";
  return picture.hit(x, y)?.kind === "axis" ? "axis" : "body";
}
