/**
 * Draws scenes on a canvas in two layers. What rarely changes is on a separate canvas and only gets what is new; what
 * moves with the playhead is drawn over it in each frame.
 *
 * Invariant: a frame costs no more than its news, one copy of the base, and a few marks for what is visible, however
 * many pods there are. Leaves out when to draw (view.ts).
 */
import { CanvasSurface, type Fonts } from "./canvas-surface.ts";
import type { Crowd } from "./crowd.ts";
import { drawBase, drawBody, drawFoot, drawMoving, footY, Layers, partBox, type Scaled, type Tops } from "./frame.ts";
import type { CanvasLike } from "./canvas-context.ts";
import type { Pointing } from "./pointing.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

const SCALED: readonly Scaled[] = ["strip", "band", "foot"];

/** No mark is wider, in CSS pixels. */
const MARK = 16;

export class Painter {
  readonly #canvas: CanvasLike;
  readonly #base: CanvasLike;
  readonly #createCanvas: () => CanvasLike;
  readonly #fonts: Fonts;
  /** Kept when the canvas is resized, so that texts are not measured again. */
  readonly #widths = new Map<string, number>();
  #surface: CanvasSurface;
  #baseSurface: CanvasSurface;
  #layers: Layers | undefined;
  #crowd: typeof Crowd | undefined;
  #key = "";
  #tops: Tops | undefined;
  #revision = -1;
  #paintedMs = 0;

  constructor(canvas: CanvasLike, createCanvas: () => CanvasLike, fonts: Fonts) {
    this.#canvas = canvas;
    this.#createCanvas = createCanvas;
    this.#base = createCanvas();
    this.#fonts = fonts;
    this.#surface = this.surfaceOf(canvas, 1);
    this.#baseSurface = this.surfaceOf(this.#base, 1);
  }

  /** What the last frame was drawn from; undefined: everything is redrawn. */
  get layers(): Layers | undefined {
    return this.#layers;
  }

  forget(): void {
    this.#layers = undefined;
  }

  /** Until then rows without names are not drawn. */
  setCrowd(crowd: typeof Crowd): void {
    this.#crowd = crowd;
    this.forget();
  }

  /** Device pixels. */
  resize(width: number, height: number, density: number): void {
    for (const canvas of [this.#canvas, this.#base]) {
      canvas.width = width;
      canvas.height = height;
    }
    // Resizing a canvas resets its transform.
    this.#surface = this.surfaceOf(this.#canvas, density);
    this.#baseSurface = this.surfaceOf(this.#base, density);
    this.forget();
  }

  hasSize(width: number, height: number): boolean {
    return this.#canvas.width === width && this.#canvas.height === height;
  }

  draw(stage: Stage, scene: Scene, pointing: Pointing | undefined): void {
    const layers = this.#drawBase(stage, scene);
    const { context } = this.#surface;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#base, 0, 0);
    context.setTransform(stage.density, 0, 0, stage.density, 0, 0);
    drawMoving(this.#surface, scene, layers);
    pointing?.draw(this.#surface, scene, layers);
    this.#revision = scene.timeline.revision;
  }

  surfaceOf(canvas: CanvasLike, density: number): CanvasSurface {
    return new CanvasSurface(canvas, density, this.#fonts, this.#createCanvas, this.#widths);
  }

  /** Updates the base: completely if its key has changed, or else only the parts that changed or are new. */
  #drawBase(stage: Stage, scene: Scene): Layers {
    const { key } = stage;
    const known = key === this.#key ? this.#layers : undefined;
    const { nowMs, revision } = scene.timeline;
    if (known !== undefined && revision === this.#revision) return known;
    const layers = known ?? new Layers(scene, stage.derived, stage.ghost, stage.density, this.#crowd);
    const tops = layers.update();
    if (known === undefined || tops.words !== this.#tops?.words || scene.layout.scale === "rows") {
      drawBase(this.#baseSurface, scene, layers);
    } else {
      for (const part of SCALED) if (tops[part] !== this.#tops[part]) this.#drawPart(scene, layers, part);
      this.#drawNews(scene, layers, nowMs);
    }
    this.#layers = layers;
    this.#key = key;
    this.#tops = tops;
    this.#paintedMs = nowMs;
    return layers;
  }

  #drawPart(scene: Scene, layers: Layers, part: Scaled): void {
    const { x, y, width, height } = partBox(scene, part);
    this.#baseSurface.clip(x, y, width, height, () => {
      if (part === "foot") drawFoot(this.#baseSurface, scene, layers);
      else drawBody(this.#baseSurface, scene, layers, part);
    });
  }

  #drawNews(scene: Scene, layers: Layers, nowMs: number): void {
    const { layout, time, minimap } = scene;
    const surface = this.#baseSurface;
    const top = footY(scene);
    for (const [scale, y, height, draw] of [
      [time, 0, top, drawBody],
      [minimap, top, layout.height - top, drawFoot],
    ] as const) {
      // Marks at the former end extended some pixels beyond it.
      const x = Math.floor(scale.xOf(this.#paintedMs)) - MARK;
      const width = Math.ceil(scale.xOf(nowMs)) + MARK - x;
      // Repaints all that the clip clears, and marks that extend into it.
      const news = { ...scene, paint: { fromMs: scale.msAt(x - MARK), untilMs: nowMs } };
      surface.clip(x, y, width, height, () => draw(surface, news, layers));
    }
  }
}
