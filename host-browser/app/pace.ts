/**
 * What follows the run at a lower rate than the picture: the query for the panels, and the beat for work whose cost
 * grows with the run. Invariant: when time stops, both are up to date.
 */
import { computed, effect, signal } from "@preact/signals";
import type { Playhead } from "./playhead.ts";
import type { Selection } from "./selection.ts";
import type { Session } from "./session.ts";
import { Throttle } from "./throttle.ts";

/** No user reads faster. */
const LOOK_PERIOD_MS = 200;
/** While a run is made, an answer takes time from it: for 100,000 pods some ten milliseconds. */
const LOADING_LOOK_PERIOD_MS = 600;
const BEAT_PERIOD_MS = 300;

export class Pace {
  /** Changes a few times a second while the run grows, and once more when it has grown. */
  readonly beat = signal(0);
  readonly #session: Session;
  readonly #playhead: Playhead;
  readonly #selection: Selection;
  /** The last run for which the panels were queried while it was made. */
  #run = 0;
  readonly #looks = new Throttle(LOOK_PERIOD_MS);
  readonly #loadingLooks = new Throttle(LOADING_LOOK_PERIOD_MS);
  readonly #beats = new Throttle(BEAT_PERIOD_MS);
  /** Time runs: in the Worker, or over the record. */
  readonly #isMoving = computed(() => {
    const { value: mode } = this.#session.mode;
    return this.#playhead.isPlaying.value || mode === "loading" || mode === "playing" || mode === "stepping";
  });

  constructor(session: Session, playhead: Playhead, selection: Selection) {
    this.#session = session;
    this.#playhead = playhead;
    this.#selection = selection;
    effect(() => this.#look());
    effect(() => this.#follow());
  }

  /** Queries what the panels show, whenever that has changed. */
  #look(): void {
    void this.#session.revision.value;
    const { job, pod, cause, panel } = this.#selection;
    const { value: atMs } = this.#playhead.atMs;
    const skip = this.#selection.skipAt(atMs);
    const query = {
      atMs,
      job: job.value,
      panel: panel.value,
      ...(skip === 0 ? {} : { skip }),
      ...(pod.value === undefined ? {} : { pod: pod.value }),
      ...(cause.value === undefined ? {} : { why: cause.value }),
    };
    const look = (): void => this.#session.look(query);
    if (this.#session.mode.value === "loading") {
      this.#lookRarely(look);
      return;
    }
    this.#loadingLooks.stop();
    if (this.#isMoving.value) this.#looks.run(look);
    else this.#looks.runNow(look);
  }

  /** Does not query a run in its first moments: answers would only make it take longer. */
  #lookRarely(look: () => void): void {
    const { branch, isLoading } = this.#session;
    const run = branch.value?.run;
    if (isLoading || run === undefined) return;
    if (run !== this.#run) [this.#looks, this.#loadingLooks].forEach((looks) => looks.stop());
    this.#run = run;
    this.#loadingLooks.runLater(look);
  }

  #follow(): void {
    void [this.#session.revision.value, this.#session.mode.value];
    this.#beats.run(() => (this.beat.value = this.beat.peek() + 1));
  }
}
