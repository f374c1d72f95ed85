/**
 * A Timeline with everything that is derived from it: rows, backoffs by row, phases, and cells at the playhead.
 *
 * Invariant: after `update` all of them have read the same chunks.
 */
import { Cells } from "./cells.ts";
import { Gaps } from "./gaps.ts";
import { Nodes } from "./nodes.ts";
import { Occurring } from "./occurring.ts";
import { Phases } from "./phases.ts";
import { Rows } from "./rows.ts";
import type { History } from "./scene.ts";
import type { Timeline } from "./timeline.ts";

export class Derived implements History {
  readonly timeline: Timeline;
  readonly rows: Rows;
  readonly gaps: Gaps;
  readonly phases: Phases;
  readonly occurring: Occurring;
  readonly nodes: Nodes;
  readonly cells: Cells;

  constructor(timeline: Timeline) {
    this.timeline = timeline;
    this.rows = new Rows(timeline);
    this.gaps = new Gaps(timeline);
    this.phases = new Phases(timeline);
    this.occurring = new Occurring(timeline);
    this.nodes = new Nodes(timeline);
    this.cells = new Cells(timeline, this.rows);
    this.cells.update();
  }

  update(): void {
    this.rows.update();
    this.gaps.update();
    this.phases.update();
    this.occurring.update();
    this.nodes.update();
    this.cells.update();
  }
}
