/**
 * The picture in its canvas: made once the canvas is in the page, as high as it wants to be, and drawn in frames.
 *
 * Invariant: the browser is asked for a frame only when something has changed. Leaves out what is drawn (picture/),
 * what it shows (picture-state.ts) and what the pointer and the keys do to it (stage-actions.ts).
 */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Picture } from "../../picture/picture.ts";
import { PictureView } from "../../picture/view.ts";
import { usePlayground } from "./context.ts";
import { FrameLoop } from "./frame-loop.ts";

/** Windows in which the picture has its own column (style/wide.css). */
const COLUMNS = "(min-width: 64rem) and (min-height: 40rem)";
/** CSS pixels of what is above and below the picture there. */
const BESIDE = 440;

/** Makes the playground's picture. @returns requests a frame; does nothing before the picture is made */
export function useCanvasPicture(canvas: RefObject<HTMLCanvasElement | null>): () => void {
  const { picture, playhead } = usePlayground();
  const loop = useRef<FrameLoop | undefined>(undefined);
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
      playhead.tick(passedMs);
      size.fit();
      made.draw();
      return playhead.isPlaying.peek();
    });
    loop.current = frames;
    picture.value = made;
    const observer = new ResizeObserver(([entry]) => {
      size.width = entry!.contentRect.width;
      frames.request();
    });
    observer.observe(element.parentElement!);
    const fitWindow = (): void => {
      size.most = matchMedia(COLUMNS).matches ? innerHeight - BESIDE : Infinity;
      frames.request();
    };
    fitWindow();
    addEventListener("resize", fitWindow);
    return () => {
      removeEventListener("resize", fitWindow);
      observer.disconnect();
      frames.stop();
    };
  }, []);
  return () => loop.current?.request();
}

/** Makes the canvas as high as the picture prefers. It never asks the browser for sizes, which would cost a layout. */
class CanvasSize {
  readonly #canvas: HTMLCanvasElement;
  readonly #picture: Picture;
  width = 0;
  most = Infinity;
  #height = 0;

  constructor(canvas: HTMLCanvasElement, picture: Picture) {
    this.#canvas = canvas;
    this.#picture = picture;
  }

  fit(): void {
    if (this.width === 0) return;
    const height = this.#picture.preferredHeight(this.width, this.most);
    if (height !== this.#height) this.#canvas.style.height = `${height}px`;
    this.#height = height;
    this.#picture.resize(this.width, height, devicePixelRatio);
  }
}
