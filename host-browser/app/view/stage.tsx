/**
 * The picture: its canvas, what the pointer and the keys do to it, the words beside it. It asks for a frame only when
 * something has changed. Leaves out everything that is drawn (picture/).
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { PictureView } from "../../picture/view.ts";
import type { Hit, Picture } from "../../picture/picture.ts";
import { instantText } from "../time-text.ts";
import type { OpenMenu } from "../playground.ts";
import { usePlayground } from "./context.ts";
import { FrameLoop } from "./frame-loop.ts";
import { later } from "./later.tsx";
import type { PointerActions } from "./pointer.ts";
import { useNow } from "./use-now.ts";

export const Legend = later(async () => (await import("../rest.ts")).Legend);
export const Reader = later(async () => (await import("../rest.ts")).Reader);
export const PictureTools = later(async () => (await import("../rest.ts")).PictureTools);
export const PictureTable = later(async () => (await import("../rest.ts")).PictureTable);

/** The words of the picture are renewed when nothing has moved for so long. */
const WORDS_QUIET_MS = 500;

export function Stage() {
  const playground = usePlayground();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { picture } = playground;
  const loop = useRef<FrameLoop | undefined>(undefined);
  const hover = useSignal<Hit | undefined>(undefined);
  const summary = useSignal("");

  useEffect(() => {
    const element = canvas.current!;
    const made = new PictureView({
      canvas: element,
      createCanvas: () => document.createElement("canvas"),
      font: getComputedStyle(document.body).fontFamily,
      monoFont: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
    });
    const size = new CanvasSize(element, made);
    const frames = new FrameLoop((passedMs) => {
      playground.playhead.tick(passedMs);
      size.fit();
      made.draw();
      return playground.playhead.isPlaying.peek();
    });
    loop.current = frames;
    picture.value = made;
    const observer = new ResizeObserver(([entry]) => {
      size.width = entry!.contentRect.width;
      frames.request();
    });
    observer.observe(element.parentElement!);
    return () => {
      observer.disconnect();
      frames.stop();
    };
  }, []);

  const openMenu = (hit: Pick<Hit, "kind" | "node"> | undefined, place: Place): void => {
    const thing = hit?.kind === "controller" || hit?.kind === "node" ? hit.kind : undefined;
    if (thing !== undefined) playground.selection.pickThing(hit?.node);
    playground.openMenu({ place, ...(thing === undefined ? {} : { thing }) });
  };
  const pickHit = (hit: Hit, place = placeOf(hit, canvas.current!)): void => {
    if (hit.kind === "strip") playground.settings.toggleNodes();
    if (hit.kind === "controller" || hit.kind === "node") openMenu(hit, place);
    if (STRIP_KINDS.has(hit.kind)) return;
    if (hit.focus !== undefined) {
      picture.value?.setFocus(hit.focus);
      // Something else is there now.
      hover.value = undefined;
    }
    playground.selection.pick(hit);
    if (hit.kind !== "axis" && hit.kind !== "fold") playground.playhead.seek(hit.ownMs);
    loop.current?.request();
  };

  const pointerActions: PointerActions = {
    changed: () => loop.current?.request(),
    hover: (hit) => (hover.value = hit),
    seek: (atMs) => playground.playhead.seek(atMs),
    pick: (hit, place) => pickHit(hit, place),
    menu: (hit, place) => {
      if (hit !== undefined) playground.selection.mark(hit);
      openMenu(hit, place);
    },
  };
  const sayWords = (): void => void (summary.value = picture.peek()?.summary() ?? "");

  useNow(() => {
    const made = picture.value;
    const branch = playground.session.branch.value;
    if (made === undefined || branch === undefined) return;
    made.setTimeline(branch.timeline, playground.session.ghost.value?.timeline);
  });
  useNow(() => {
    const made = picture.value;
    const { atMs, isLive, isPlaying } = playground.playhead;
    void [playground.session.revision.value, isPlaying.value];
    made?.setPlayhead(atMs.value, isLive.value && playground.session.mode.value !== "finished");
    loop.current?.request();
  });
  useNow(() => {
    const made = picture.value;
    const { theme, isLarge, hasNodes } = playground.settings;
    const isDark = theme.value === "dark" || (theme.value === "auto" && darkQuery().matches);
    made?.setTheme(isDark ? "dark" : "light");
    made?.setStripOpen(hasNodes.value);
    made?.setHeatMode(playground.selection.heatMode.value);
    made?.setTypeScale(isLarge.value ? 1.4 : 1);
    loop.current?.request();
  });
  useNow(() => {
    const made = picture.value;
    void [playground.playhead.atMs.value, playground.session.revision.value];
    if (made === undefined) return undefined;
    const timer = setTimeout(sayWords, WORDS_QUIET_MS);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    const query = darkQuery();
    const listen = (): void => {
      if (playground.settings.theme.value !== "auto") return;
      picture.value?.setTheme(query.matches ? "dark" : "light");
      loop.current?.request();
    };
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, []);

  const leaveRows = (): void => {
    picture.value?.clearCursor();
    hover.value = undefined;
    loop.current?.request();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") leaveRows();
    const made = picture.value;
    if (made?.cursor !== undefined && isMenuKey(event)) {
      event.preventDefault();
      playground.selection.mark(made.cursor);
      openMenu(made.cursor, placeOf(made.cursor, canvas.current!));
    }
    const hit = made === undefined ? undefined : cursorKey(made, event);
    if (hit === undefined) return;
    event.preventDefault();
    if (event.key === "Enter") pickHit(hit);
    hover.value = hit;
    playground.announcement.value = hit.text;
    loop.current?.request();
  };

  return (
    <section class="stage" id="picture" aria-label="The picture">
      <div class="tools-room">
        <PictureTools picture={picture} onChange={() => loop.current?.request()} />
      </div>
      <div class="canvas-box">
        <canvas
          ref={canvas}
          class="canvas"
          tabIndex={0}
          role="img"
          aria-label={`${summary.value} Arrow up and down choose a row, then Enter says why, and b breaks it.`}
          aria-describedby="hover"
          onKeyDown={onKeyDown}
          onBlur={leaveRows}
        />
        {hover.value !== undefined && <Tip hit={hover.value} />}
        <Reader canvas={canvas} picture={picture} actions={pointerActions} onReady={sayWords} />
      </div>
      <div class="legend-room">
        <Legend picture={picture} />
      </div>
      <PictureTable picture={picture} onPick={pickHit} onMenu={openMenu} />
    </section>
  );
}

/** The canvas is as high as the picture wants to be. Nobody asks the browser for sizes, which would cost a layout. */
class CanvasSize {
  readonly #canvas: HTMLCanvasElement;
  readonly #picture: Picture;
  width = 0;
  #height = 0;

  constructor(canvas: HTMLCanvasElement, picture: Picture) {
    this.#canvas = canvas;
    this.#picture = picture;
  }

  fit(): void {
    if (this.width === 0) return;
    const height = this.#picture.preferredHeight(this.width);
    if (height !== this.#height) this.#canvas.style.height = `${height}px`;
    this.#height = height;
    this.#picture.resize(this.width, height, devicePixelRatio);
  }
}

type Place = NonNullable<OpenMenu["place"]>;

const STRIP_KINDS: ReadonlySet<string> = new Set(["controller", "node", "strip"]);

/** Where the menu of a thing opens: under what can be seen of it. */
function placeOf({ box }: Hit, canvas: HTMLCanvasElement): Place {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: left + Math.max(box.x, 24), y: top + box.y + box.height };
}

/** The page's key for the menu is of what is selected; here it is of what the cursor is on. */
function isMenuKey({ key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  if (ctrlKey || altKey || metaKey) return false;
  return key === "ContextMenu" || key === "b" || (shiftKey && key === "F10");
}

/** Up and down enter the rows; once there, left and right go along them. */
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

function Tip({ hit }: { readonly hit: Hit }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = box.current!;
    const room = tip.parentElement!.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(hit.box.x, room))}px`;
    tip.style.top = `${hit.box.y + hit.box.height + 6}px`;
  }, [hit]);
  return (
    <div ref={box} id="hover" class="tip" role="tooltip">
      {hit.text} <span>{instantText(hit.atMs)}</span>
    </div>
  );
}

function darkQuery(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
