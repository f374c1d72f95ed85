/**
 * The reader's selection: a Job, a pod, something with a reason, the panel that is open, and what heat maps show.
 * Invariant: a selection names rows of the shown run, so it is cleared when another run is shown.
 */
import { batch, signal } from "@preact/signals";
import type { PanelName } from "../../build/panel-names.ts";
import type { Cause } from "../messages.ts";
import type { HeatMode, Hit } from "../picture/picture.ts";

/** A page of the open list, until the reader changes the list or the instant. */
interface Page {
  readonly skip: number;
  readonly panel: PanelName;
  readonly job: number;
  readonly atMs: number;
}

export class Selection {
  /** The Job whose objects the panels show. */
  readonly job = signal(0);
  readonly pod = signal<number | undefined>(undefined);
  readonly cause = signal<Cause | undefined>(undefined);
  readonly panel = signal<PanelName>("status");
  /** What cells of a heat map show. */
  readonly heatMode = signal<HeatMode>("last");
  /** How often a reason was asked for. */
  readonly asks = signal(0);
  /** Name of a node, if the selected thing is on one. */
  readonly node = signal<string | undefined>(undefined);
  /** The panel in which the reader asked for the reason; undefined: elsewhere. */
  readonly askedIn = signal<PanelName | undefined>(undefined);
  readonly #page = signal<Page | undefined>(undefined);

  /** How many rows of the open list to skip at the instant. */
  skipAt(atMs: number): number {
    const page = this.#page.value;
    if (page === undefined || page.atMs !== atMs) return 0;
    return page.panel === this.panel.value && page.job === this.job.value ? page.skip : 0;
  }

  /** Another page of the open list. */
  turnTo(skip: number, atMs: number): void {
    this.#page.value = { skip, panel: this.panel.peek(), job: this.job.peek(), atMs };
  }

  clear(): void {
    batch(() => {
      this.job.value = 0;
      this.pod.value = undefined;
      this.cause.value = undefined;
      this.node.value = undefined;
    });
  }

  /** Selects something in the picture and shows its reason. */
  pick(hit: Hit): void {
    batch(() => {
      this.mark(hit);
      if (hit.cause !== undefined) this.ask(hit.cause);
    });
  }

  /** Selects something in the picture for an action: the page stays as it is. */
  mark(hit: Hit): void {
    batch(() => {
      if (hit.job !== undefined && hit.job >= 0) this.job.value = hit.job;
      this.pod.value = hit.pod;
      this.node.value = hit.node === "" ? undefined : hit.node;
      if (hit.cause === undefined) return;
      this.cause.value = hit.cause;
      this.askedIn.value = undefined;
    });
  }

  /** Selects a node, or the controller. The selected Job stays. */
  pickThing(node: string | undefined): void {
    batch(() => {
      this.pod.value = undefined;
      this.node.value = node;
    });
  }

  /** Selects a pod of a list, which names no node; undefined: none. */
  pickPod(pod: number | undefined): void {
    batch(() => {
      this.pod.value = pod;
      this.node.value = undefined;
    });
  }

  /** Opens the panel with the reason. @param panel where the reader asked for it */
  ask(cause: Cause, panel?: PanelName): void {
    batch(() => {
      this.cause.value = cause;
      this.askedIn.value = panel;
      this.panel.value = "why";
      this.asks.value++;
    });
  }
}
