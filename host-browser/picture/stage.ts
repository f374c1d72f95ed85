/**
 * What the page has chosen to see, and the scene that follows from it: layout and time scale, recomputed only when one
 * of their inputs has changed.
 *
 * Invariant: two scenes with equal keys have the same base picture, but for what was appended in between.
 */
import type { Derived } from "./derived.ts";
import type { Stretch } from "./idle.ts";
import {
  type Layout,
  layoutOf,
  type LayoutInput,
  MAX_NAMED_ROWS,
  MAX_THIN_ROWS,
  preferredHeight,
  scaleOf,
} from "./layout.ts";
import { paletteOf } from "./palette.ts";
import type { Focus, HeatMode, Theme, TimeWindow } from "./parts.ts";
import type { Track } from "./rows.ts";
import { CONTROLLER, sameJob, type Scene, shortName, sizesOf } from "./scene.ts";
import { FOLD_WIDTH, foldsIn, TimeScale } from "./time-scale.ts";

/** The axis of a running Job ends here, or at the first of these times STEP that is not reached yet. */
const FIRST_END_MS = 10_000;
const STEP = 1.5;
/** The axis of a finished run shows this many times the run. */
const MARGIN = 1.02;
/** The number of names to measure for the width of the gutter. */
const MEASURED_NAMES = 60;
/** Thin rows of pods that are still to come. */
const ROOM = 50;

/** Indexes that are drawn at another scale would be an empty map beside a full one, or the other way round. */
export function hasShadow({ rows, timeline }: Derived, before: Derived): boolean {
  return rows.tracks.some(({ job, size, isIndexed }) => {
    const same = sameJob(timeline, job, before.timeline);
    const other = same === undefined ? undefined : before.rows.trackOf(same);
    return other !== undefined && (!isIndexed || !other.isIndexed || scaleOf(size) === scaleOf(other.size));
  });
}

export class Stage {
  width = 800;
  height = 400;
  density = 1;
  type = 1;
  theme: Theme = "light";
  heatMode: HeatMode = "last";
  isFolded = true;
  isLive = false;
  /** Nodes have rows; else the controller alone. */
  isStripOpen = true;
  playheadMs = 0;
  window: TimeWindow | undefined;
  focus: Focus | undefined;
  derived: Derived;
  ghost: Derived | undefined;
  #layoutKey = "";
  #layout: Layout | undefined;
  #timeKey = "";
  #time: TimeScale | undefined;
  #minimap: TimeScale | undefined;

  constructor(derived: Derived) {
    this.derived = derived;
  }

  /** What the base picture depends on. */
  get key(): string {
    return `${this.#layoutKey} ${this.#timeKey} ${this.theme} ${this.density} ${this.ghost?.timeline.revision ?? ""}`;
  }

  /** Without another branch there is no difference to show. */
  get shownMode(): HeatMode {
    return this.heatMode === "difference" && this.ghost === undefined ? "last" : this.heatMode;
  }

  /** All of time, with space for what comes. */
  get domain(): TimeWindow {
    const nowMs = Math.max(this.derived.timeline.nowMs, this.ghost?.timeline.nowMs ?? 0);
    if (!this.isLive) return { fromMs: 0, untilMs: Math.max(nowMs * MARGIN, 1_000) };
    let untilMs = FIRST_END_MS;
    while (untilMs < nowMs * MARGIN) untilMs *= STEP;
    return { fromMs: 0, untilMs };
  }

  preferredHeight(width: number, most?: number): number {
    return preferredHeight({ ...this.#layoutInput(), width }, most);
  }

  scene(): Scene {
    const layout = this.#updateLayout();
    const { time, minimap } = this.#updateTime(layout);
    const { derived, ghost } = this;
    return {
      timeline: derived.timeline,
      rows: derived.rows,
      gaps: derived.gaps,
      phases: derived.phases,
      occurring: derived.occurring,
      nodes: derived.nodes,
      cells: derived.cells,
      isStripOpen: this.isStripOpen,
      ghost,
      layout,
      time,
      minimap,
      palette: paletteOf(this.theme),
      playheadMs: this.playheadMs,
      sizes: sizesOf(this.type),
      heatMode: this.shownMode,
      paint: { fromMs: 0, untilMs: Infinity },
    };
  }

  #updateLayout(): Layout {
    const input = this.#layoutInput();
    const key = JSON.stringify(input);
    if (this.#layout === undefined || key !== this.#layoutKey) {
      this.#layout = layoutOf(input);
      this.#layoutKey = key;
    }
    return this.#layout;
  }

  #updateTime(layout: Layout): { time: TimeScale; minimap: TimeScale } {
    const { domain } = this;
    const window = this.window ?? domain;
    const [folds, allFolds] = [this.#foldsIn(window), this.#foldsIn(domain)];
    const place = { fromX: layout.plotX, untilX: layout.plotEnd };
    const key = JSON.stringify([window, folds, place, domain, allFolds]);
    if (this.#time === undefined || this.#minimap === undefined || key !== this.#timeKey) {
      this.#time = new TimeScale(window, place, folds, FOLD_WIDTH * this.type);
      this.#minimap = new TimeScale(domain, place, allFolds, FOLD_WIDTH * this.type);
      this.#timeKey = key;
    }
    return { time: this.#time, minimap: this.#minimap };
  }

  #foldsIn({ fromMs, untilMs }: TimeWindow): readonly Stretch[] {
    return this.isFolded ? foldsIn(this.derived.timeline.idle.stretches, fromMs, untilMs) : [];
  }

  #layoutInput(): LayoutInput {
    const { timeline, rows } = this.derived;
    return {
      tracks: rows.tracks.map((track) => ({
        job: track.job,
        name: timeline.jobs[track.job]?.name ?? "other pods",
        size: this.#sizeOf(track),
        hasGhost: this.#ghostTrack(track.job) !== undefined,
        nameLength: track.isIndexed ? String(track.size).length : this.#nameLength(track.job),
      })),
      focus: this.focus,
      width: this.width,
      height: this.height,
      type: this.type,
      density: this.density,
      hasFlags: timeline.flags.length > 0,
      hasShadowMaps: this.shownMode !== "difference",
      strip: this.#strip(),
    };
  }

  #strip(): LayoutInput["strip"] {
    const { nodes, timeline } = this.derived;
    if (timeline.jobs.length === 0 && nodes.all.length === 0) return { rows: 0, nameLength: 0 };
    const names = nodes.isSummed || !this.isStripOpen ? [] : nodes.all.map(({ name }) => name.length);
    const rows = !this.isStripOpen ? 0 : nodes.isSummed ? 1 : names.length;
    return { rows: 1 + rows, nameLength: Math.max(CONTROLLER.length, ...names) };
  }

  /** Rows to leave space for: those of the branch before, and some to come where their number is not known. */
  #sizeOf({ job, size, isIndexed }: Track): number {
    const most = Math.max(size, this.#ghostTrack(job)?.size ?? 0);
    if (isIndexed || !this.isLive || most <= MAX_NAMED_ROWS) return most;
    const step = most <= MAX_THIN_ROWS ? ROOM : 10 ** Math.floor(Math.log10(most) - 1) * 2;
    return Math.ceil(most / step) * step;
  }

  #ghostTrack(job: number): Track | undefined {
    const { ghost, derived } = this;
    const other = ghost === undefined ? undefined : sameJob(derived.timeline, job, ghost.timeline);
    return other === undefined ? undefined : ghost!.rows.trackOf(other);
  }

  #nameLength(job: number): number {
    const track = this.derived.rows.trackOf(job)!;
    let longest = 0;
    for (let row = 0; row < Math.min(track.newest.length, MEASURED_NAMES); row++) {
      longest = Math.max(longest, shortName(this.derived.timeline, track.newest.at(row)).length);
    }
    return longest;
  }
}
