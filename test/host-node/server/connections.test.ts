/** Who keeps a place on a server that has no more of them, and how often that is logged. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Connections } from "../../../host-node/server/connections.ts";

class FakeSocket extends EventEmitter {
  readonly remoteAddress = "127.0.0.1";
  readonly remotePort: number;
  isGone = false;

  constructor(remotePort: number) {
    super();
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.isGone = true;
    this.emit("close");
  }
}

class World {
  readonly clock = new VirtualClock(0);
  readonly server = new EventEmitter();
  readonly told: number[] = [];
  counted = 0;
  readonly connections = new Connections(this.server as Server, {
    maxStrangers: 3,
    maxAdmitted: 2,
    clock: this.clock,
    onClosed: () => this.counted++,
    tell: (closed) => this.told.push(closed),
  });
  #port = 1000;

  open(): FakeSocket {
    const socket = new FakeSocket(this.#port++);
    this.server.emit("connection", socket);
    return socket;
  }

  /**
   * A request on a connection, as TLS shows it: by another socket.
   * @returns what ends it, and whether it was admitted
   */
  ask(socket: FakeSocket, isAdmitted: boolean): { end: () => void; hasPlace: boolean } {
    const request = { socket: new FakeSocket(socket.remotePort) } as unknown as IncomingMessage;
    const response = new EventEmitter();
    this.server.emit("request", request, response as ServerResponse);
    return { end: () => response.emit("close"), hasPlace: isAdmitted && this.connections.admit(request) };
  }
}

it("a stranger too many takes the place of the one that was heard least lately", () => {
  const world = new World();
  const [first, second, third] = [world.open(), world.open(), world.open()];
  world.ask(first, false).end();
  const fourth = world.open();
  expect([first, second, third, fourth].map(({ isGone }) => isGone)).toEqual([false, true, false, false]);
  world.open();
  expect([first, third, fourth].map(({ isGone }) => isGone)).toEqual([false, true, false]);
});

it("admitted connections stay, and an idle one is closed for another", () => {
  const world = new World();
  const [idle, busy] = [world.open(), world.open()];
  world.ask(idle, true).end();
  const watch = world.ask(busy, true);
  for (let n = 0; n < 10; n++) world.open();
  expect([idle.isGone, busy.isGone]).toEqual([false, false]);
  const third = world.open();
  expect(world.ask(third, true).hasPlace).toBe(true);
  expect([idle.isGone, busy.isGone, third.isGone]).toEqual([true, false, false]);
  const fourth = world.open();
  expect(world.ask(fourth, true).hasPlace).toBe(false);
  watch.end();
  expect(world.ask(fourth, true).hasPlace).toBe(true);
  expect([busy.isGone, fourth.isGone]).toEqual([true, false]);
});

it("connections that their clients close leave their places", () => {
  const world = new World();
  for (let n = 0; n < 10; n++) {
    const socket = world.open();
    expect(world.ask(socket, true).hasPlace).toBe(true);
    socket.destroy();
  }
  expect(world.counted).toBe(0);
});

it("each closed connection is counted, and logged once a minute", () => {
  const world = new World();
  const open = (times: number): void => {
    for (let n = 0; n < times; n++) world.open();
  };
  open(3);
  expect({ counted: world.counted, told: world.told }).toEqual({ counted: 0, told: [] });
  open(2);
  world.clock.advance(59_999);
  open(3);
  expect({ counted: world.counted, told: world.told }).toEqual({ counted: 5, told: [1] });
  world.clock.advance(1);
  open(1);
  expect({ counted: world.counted, told: world.told }).toEqual({ counted: 6, told: [1, 5] });
});
