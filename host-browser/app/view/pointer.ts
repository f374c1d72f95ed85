/**
 * Mouse, pen and touch gestures in the picture: a click picks, a drag along the axis or the minimap scrubs, a drag
 * elsewhere pans a zoomed view, the wheel zooms with Ctrl, and a right click or a long press opens the menu. A finger
 * that moves up or down scrolls the page.
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
  const gestures = new Gestures(canvas, picture, actions);
  const listeners = new AbortController();
  const { signal } = listeners;
  canvas.addEventListener("pointerdown", (event) => gestures.down(event), { signal });
  canvas.addEventListener("pointermove", (event) => gestures.move(event), { signal });
  canvas.addEventListener("pointerup", (event) => gestures.up(event), { signal });
  canvas.addEventListener("pointercancel", () => gestures.end(), { signal });
  canvas.addEventListener("pointerleave", () => gestures.leave(), { signal });
  canvas.addEventListener("contextmenu", (event) => gestures.menu(event), { signal });
  canvas.addEventListener("wheel", (event) => gestures.wheel(event), { signal, passive: false });
  return () => {
    gestures.end();
    listeners.abort();
  };
}

/** One method for each event of the canvas. Invariant: there is at most one drag, and no long press without one. */
class Gestures {
  readonly #canvas: HTMLCanvasElement;
  readonly #picture: Picture;
  readonly #actions: PointerActions;
  /** Undefined: nothing is pressed. */
  #drag: Drag | undefined;

  constructor(canvas: HTMLCanvasElement, picture: Picture, actions: PointerActions) {
    this.#canvas = canvas;
    this.#picture = picture;
    this.#actions = actions;
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x, y] = this.#pointOf(event);
    const kind = kindAt(this.#picture, x, y);
    this.end();
    const drag: Drag = (this.#drag = { kind, x, y, lastX: x, hasMoved: false, longPress: undefined });
    if (kind !== "body") {
      this.#canvas.setPointerCapture(event.pointerId);
      this.#scrub(kind, x, y);
    } else if (event.pointerType !== "mouse")
      drag.longPress = setTimeout(() => {
        this.end();
        this.#openMenu(event, x, y);
      }, LONG_PRESS_MS);
  }

  move(event: PointerEvent): void {
    const [x, y] = this.#pointOf(event);
    this.#picture.setPointer(x, y);
    this.#actions.changed();
    const drag = this.#drag;
    if (drag === undefined) {
      this.#actions.hover(this.#picture.hit(x, y));
      return;
    }
    if (Math.hypot(x - drag.x, y - drag.y) > CLICK_PX) {
      drag.hasMoved = true;
      clearTimeout(drag.longPress);
    }
    if (drag.kind !== "body") this.#scrub(drag.kind, x, y);
    else if (drag.hasMoved) {
      this.#canvas.setPointerCapture(event.pointerId);
      this.#picture.pan(x - drag.lastX);
      drag.lastX = x;
    }
  }

  up(event: PointerEvent): void {
    const [x, y] = this.#pointOf(event);
    const drag = this.#drag;
    const hit = drag?.kind === "body" && !drag.hasMoved ? this.#picture.hit(x, y) : undefined;
    this.end();
    if (hit !== undefined) this.#actions.pick(hit, { x: event.clientX, y: event.clientY });
  }

  /** Nothing is pressed any more. */
  end(): void {
    clearTimeout(this.#drag?.longPress);
    this.#drag = undefined;
  }

  leave(): void {
    this.#picture.setPointer();
    this.#actions.hover(undefined);
    this.#actions.changed();
  }

  menu(event: MouseEvent): void {
    event.preventDefault();
    this.end();
    this.#openMenu(event, ...this.#pointOf(event));
  }

  wheel(event: WheelEvent): void {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !isSideways) return;
    event.preventDefault();
    if (event.ctrlKey) this.#picture.zoom(ZOOM_PER_PX ** -event.deltaY, this.#pointOf(event)[0]);
    else this.#picture.pan(-(event.deltaX === 0 ? event.deltaY : event.deltaX));
    this.#actions.changed();
  }

  #pointOf({ clientX, clientY }: MouseEvent): [number, number] {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }

  #scrub(kind: Drag["kind"], x: number, y: number): void {
    const atMs = kind === "minimap" ? this.#picture.minimapTimeAt(x, y) : this.#picture.timeAt(x);
    if (atMs !== undefined) this.#actions.seek(atMs);
    this.#actions.changed();
  }

  #openMenu({ clientX, clientY }: MouseEvent, x: number, y: number): void {
    this.#actions.menu(this.#picture.hit(x, y), { x: clientX, y: clientY });
  }
}

function kindAt(picture: Picture, x: number, y: number): Drag["kind"] {
  if (picture.minimapTimeAt(x, y) !== undefined) return "minimap";
  return picture.hit(x, y)?.kind === "axis" ? "axis" : "body";
}
