/**
 * The Worker: engine, cluster and virtual clock in one thread, driven by the page's commands.
 *
 * Invariant: one run at a time. Every load makes a new world and a new player, and the old ones send nothing any more.
 * Leaves out what is simulated (world.ts) and how time passes (player.ts): this file only connects them.
 */
import { Player, type Wall } from "./player.ts";
import type { Command, Notice } from "./protocol.ts";
import { World } from "./world.ts";

/**
 * The part of a Worker's global scope that is used here. It is declared because the DOM types, which the page needs,
 * describe a window.
 */
interface WorkerScope {
  postMessage(notice: Notice): void;
  addEventListener(type: "message", listener: (event: { readonly data: Command }) => void): void;
}
const scope = globalThis as unknown as WorkerScope;

/** Snapshots are sent this often while time passes. A change of mode is sent at once. */
const SNAPSHOT_PERIOD_MS = 80;

/** One world with its player. */
class Run {
  readonly #number: number;
  readonly #world: World;
  readonly #player: Player;
  #isOver = false;
  #sentMs = -Infinity;

  constructor(number: number, world: World) {
    this.#number = number;
    this.#world = world;
    const wall: Wall = {
      now: () => performance.now(),
      schedule: (delayMs, callback) => {
        const timer = setTimeout(() => this.#attempt(callback), delayMs);
        return () => clearTimeout(timer);
      },
    };
    this.#player = new Player(world, wall, () => this.#report());
    this.#report();
  }

  obey(command: Exclude<Command, { kind: "load" }>): void {
    this.#attempt(() => {
      if (command.kind === "play") this.#player.play(command.speed);
      else if (command.kind === "step") this.#player.step();
      else this.#player.pause();
    });
  }

  /** Stops the run for good. */
  end(): void {
    this.#isOver = true;
    this.#player.pause();
  }

  /** A fault in the simulation ends the run. */
  #attempt(run: () => void): void {
    if (this.#isOver) return;
    try {
      run();
    } catch (error) {
      this.end();
      scope.postMessage({ kind: "fatal", run: this.#number, message: messageOf(error) });
    }
  }

  #report(): void {
    const { mode, note } = this.#player;
    const isMoving = mode === "playing" || mode === "stepping";
    if (this.#isOver || (isMoving && performance.now() - this.#sentMs < SNAPSHOT_PERIOD_MS)) return;
    this.#sentMs = performance.now();
    scope.postMessage({ kind: "snapshot", run: this.#number, snapshot: this.#world.snapshot(mode, note) });
  }
}

let current: Run | undefined;

async function main(): Promise<void> {
  const module = await compileEngine();
  const handle = async (command: Command): Promise<void> => {
    if (command.kind !== "load") {
      current?.obey(command);
      return;
    }
    current?.end();
    current = undefined;
    const { run, yaml, seed } = command;
    try {
      const world = await World.create(module, yaml, seed);
      if (world.warnings.length > 0) scope.postMessage({ kind: "warned", run, problems: world.warnings });
      if (world.problems.length > 0) scope.postMessage({ kind: "refused", run, problems: world.problems });
      else current = new Run(run, world);
    } catch (error) {
      scope.postMessage({ kind: "fatal", run, message: messageOf(error) });
    }
  };
  // Commands run one after another, so a play after a load applies to the new run.
  let last = Promise.resolve();
  scope.addEventListener("message", ({ data }) => {
    last = last.then(() => handle(data));
  });
  scope.postMessage({ kind: "ready" });
}

async function compileEngine(): Promise<WebAssembly.Module> {
  const response = await fetch(new URL("engine.wasm", import.meta.url));
  if (!response.ok) throw new Error(`engine.wasm: the server answered ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

await main();
