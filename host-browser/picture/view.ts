/**
 * The picture for the page: what the page has chosen to see, drawn when it changed, and the same in words. Interface:
 * picture.ts.
 *
 * Invariant: every change of what is visible sets #isDirty. Until `setReading`, nothing is under the pointer, there are
 * no words, and rows without names are not drawn. Leaves out how it is drawn (painter.ts) and where things are
 * (stage.ts, pointing.ts).
 */
import { Derived } from "./derived.ts";
import { Layers } from "./frame.ts";
import { Painter } from "./painter.ts";
import type { Pointing } from "./pointing.ts";
import type * as Types from "./picture.ts";
import type { Reading } from "./reading.ts";
import type { Scene } from "./scene.ts";
import { hasShadow, Stage } from "./stage.ts";
import { Timeline } from "./timeline.ts";

const FONT = 'system-ui, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif';
const MONO_FONT = 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

export class PictureView implements Types.Picture {
  readonly #painter: Painter;
  readonly #stage = new Stage(new Derived(new Timeline()));
  /** The branch before; the stage has it only where something of it can be drawn. */
  #before: Derived | undefined;
  #reading: Reading | undefined;
  #pointing: Pointing | undefined;
  #revision = -1;
  #isDirty = true;

  constructor({ canvas, createCanvas, font = FONT, monoFont = MONO_FONT }: Types.PictureOptions) {
    this.#painter = new Painter(canvas, createCanvas, { font, monoFont });
  }

  setReading(reading: Reading): void {
    this.#reading = reading;
    this.#pointing = new reading.Pointing();
    this.#painter.setCrowd(reading.Crowd);
    this.#isDirty = true;
  }

  resize(width: number, height: number, density: number): void {
    const pixels = [Math.round(width * density), Math.round(height * density)] as const;
    if (this.#stage.density === density && this.#painter.hasSize(...pixels)) return;
    Object.assign(this.#stage, { width, height, density });
    this.#painter.resize(...pixels, density);
    this.#isDirty = true;
  }

  preferredHeight(width: number, most?: number): number {
    this.#update();
    return this.#stage.preferredHeight(width, most);
  }

  setTheme(theme: Types.Theme): void {
    this.#set({ theme });
  }

  setTypeScale(scale: number): void {
    this.#set({ type: scale });
  }

  setTimeline(timeline: Timeline, ghost?: Timeline): void {
    const stage = this.#stage;
    // The page passes the run with each of its notices, and news are no reason to redraw everything.
    if (stage.derived.timeline === timeline && this.#before?.timeline === ghost) return;
    if (stage.derived.timeline !== timeline) {
      stage.derived = new Derived(timeline);
      Object.assign(stage, { window: undefined, focus: undefined });
      this.#forgetPlace();
    }
    if (this.#before?.timeline !== ghost) this.#before = ghost === undefined ? undefined : new Derived(ghost);
    this.#painter.forget();
    this.#isDirty = true;
  }

  setPlayhead(atMs: number, isLive = false): void {
    this.#set({ playheadMs: atMs, isLive });
  }

  setFolded(isFolded: boolean): void {
    this.#set({ isFolded });
  }

  setStripOpen(isStripOpen: boolean): void {
    this.#set({ isStripOpen });
  }

  setHeatMode(heatMode: Types.HeatMode): void {
    if (this.#stage.heatMode !== heatMode) this.#painter.forget();
    this.#set({ heatMode });
  }

  setFocus(focus?: Types.Focus): void {
    this.#set({ focus });
    this.#forgetPlace();
  }

  setPointer(x?: number, y?: number): void {
    const pointer = x === undefined || y === undefined ? undefined : { x, y };
    const pointing = this.#pointing;
    if (pointing === undefined) return;
    if (pointer?.x === pointing.pointer?.x && pointer?.y === pointing.pointer?.y) return;
    pointing.pointer = pointer;
    this.#isDirty = true;
  }

  setMarked(pod?: number): void {
    if (this.#pointing === undefined || this.#pointing.marked === pod) return;
    this.#pointing.marked = pod;
    this.#isDirty = true;
  }

  get scale(): Types.Scale {
    return this.#scene().layout.scale;
  }

  get hasShadow(): boolean {
    this.#update();
    return this.#stage.ghost !== undefined;
  }

  get isFolded(): boolean {
    return this.#stage.isFolded;
  }

  get isStripOpen(): boolean {
    return this.#stage.isStripOpen;
  }

  get focus(): Types.Focus | undefined {
    return this.#stage.focus;
  }

  get window(): Types.TimeWindow {
    return this.#stage.window ?? this.#stage.domain;
  }

  setWindow(window?: Types.TimeWindow): void {
    this.#set({ window });
  }

  zoom(factor: number, x: number): void {
    this.setWindow(this.#read().zoomed(this.#scene().time, this.#stage.domain, factor, x));
  }

  pan(dx: number): void {
    this.setWindow(this.#read().panned(this.#scene().time, this.#stage.domain, dx));
  }

  timeAt(x: number): number {
    return this.#read().instantAt(this.#scene(), x);
  }

  minimapTimeAt(x: number, y: number): number | undefined {
    const scene = this.#scene();
    return y < scene.layout.minimap.y - 2 ? undefined : this.#read().minimapInstant(scene, x);
  }

  draw(): boolean {
    this.#update();
    const { timeline } = this.#stage.derived;
    if (!this.#isDirty && timeline.revision === this.#revision) return false;
    const scene = this.#stage.scene();
    this.#painter.draw(this.#stage, scene, this.#pointing);
    this.#revision = timeline.revision;
    this.#isDirty = false;
    return true;
  }

  hit(x: number, y: number): Types.Hit | undefined {
    return this.#pointing?.hit(this.#scene(), this.#painter.layers, x, y);
  }

  select(pod: number, atMs: number): Types.Hit | undefined {
    this.#isDirty = true;
    return this.#pointing?.select(this.#scene(), pod, atMs);
  }

  moveCursor(direction: Types.Direction): Types.Hit | undefined {
    this.#isDirty = true;
    return this.#pointing?.move(this.#scene(), this.#painter.layers, direction);
  }

  get cursor(): Types.Hit | undefined {
    return this.#pointing?.cursor(this.#scene(), this.#painter.layers);
  }

  clearCursor(): void {
    if (this.#pointing?.place !== undefined) this.#isDirty = true;
    this.#forgetPlace();
  }

  table(): Types.TableModel {
    return this.#read().tableOf(this.#scene());
  }

  things(): readonly Types.ThingRow[] {
    return this.#read().thingsOf(this.#scene());
  }

  summary(): string {
    return this.#reading?.summaryOf(this.#scene()) ?? "";
  }

  legend(): readonly Types.LegendEntry[] {
    return this.#read().legendOf(this.#scene());
  }

  drawSwatch(canvas: Types.CanvasLike, key: string, width: number, height: number, density: number): void {
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    this.#read().drawSwatchOn(this.#painter.surfaceOf(canvas, density), this.#scene(), key, 0, 0, width, height);
  }

  exported(width: number, density: number): Types.Exported {
    this.#update();
    const own = this.#stage;
    const stage = new Stage(own.derived);
    const { theme, type, ghost, window, focus, isFolded, isLive, playheadMs, heatMode, isStripOpen } = own;
    Object.assign(stage, { theme, type, ghost, window, focus, isFolded, isLive, playheadMs, heatMode, isStripOpen });
    Object.assign(stage, { width, density });
    stage.height = stage.preferredHeight(width);
    const scene = stage.scene();
    const layers = new Layers(scene, stage.derived, ghost, density, this.#read().Crowd);
    layers.update();
    return { scene, layers, density, surfaceOf: (canvas) => this.#painter.surfaceOf(canvas, density) };
  }

  /** Only for what is not asked before. */
  #read(): Reading {
    if (this.#reading === undefined) throw new Error("the picture is read before it can be (setReading)");
    return this.#reading;
  }

  #forgetPlace(): void {
    if (this.#pointing !== undefined) this.#pointing.place = undefined;
  }

  #update(): void {
    const { derived } = this.#stage;
    derived.update();
    this.#before?.update();
    this.#stage.ghost = this.#before !== undefined && hasShadow(derived, this.#before) ? this.#before : undefined;
  }

  #scene(): Scene {
    this.#update();
    return this.#stage.scene();
  }

  #set(settings: Partial<Stage> | { focus: Types.Focus | undefined } | { window: Types.TimeWindow | undefined }): void {
    for (const [name, value] of Object.entries(settings)) {
      if (this.#stage[name as "theme"] === value) continue;
      this.#stage[name as "theme"] = value as Types.Theme;
      this.#isDirty = true;
    }
  }
}
