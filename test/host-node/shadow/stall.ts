/**
 * A process that stands still for a while, as on a machine that is too busy: none of its timers fires, and no watch
 * shows it anything. Then all comes at once, the timers first.
 */
import type { Clock, StreamSink, Transport } from "../../../bindings/js/host.ts";

export class Stall {
  #isOn = false;
  readonly #timers: (() => void)[] = [];
  readonly #sights: (() => void)[] = [];

  begin(): void {
    this.#isOn = true;
  }

  end(): void {
    this.#isOn = false;
    for (const missed of [...this.#timers.splice(0), ...this.#sights.splice(0)]) missed();
  }

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      leftOutMs: () => clock.leftOutMs?.() ?? 0,
      setTimer: (delayMs, callback, kind) => clock.setTimer(delayMs, () => this.#do(this.#timers, callback), kind),
      defer: (callback) => clock.defer(callback),
    };
  }

  transport(transport: Transport): Transport {
    return {
      send: (request, done) => transport.send(request, done),
      stream: (request, sink) => transport.stream(request, this.#sink(sink)),
    };
  }

  #sink(sink: StreamSink): StreamSink {
    return {
      open: (response) => sink.open(response),
      data: (chunk) => this.#do(this.#sights, () => sink.data(chunk)),
      end: (error) => this.#do(this.#sights, () => sink.end(error)),
    };
  }

  #do(missed: (() => void)[], act: () => void): void {
    if (this.#isOn) missed.push(act);
    else act();
  }
}
