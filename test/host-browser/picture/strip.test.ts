/** The strip under the axis: the controller and the nodes, drawn, hit, walked and read. */
import { describe, expect, test } from "vitest";
import { svgOf } from "../../../host-browser/picture/export.ts";
import { Nodes } from "../../../host-browser/picture/nodes.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { JobPhase, NodeState, NONE, PodState } from "../../../host-browser/records.ts";
import { allHits, viewOf } from "./canvas.ts";
import { indexedRun, Sample } from "./sample.ts";

/** Two nodes, one drained at 9 s and uncordoned at 15 s; errors of the API and a restart. */
function drained(): Timeline {
  const sample = new Sample();
  const job = sample.job("pi");
  sample.version(job, 0, JobPhase.RUNNING, { completions: 2 });
  for (const node of ["node-1", "node-2", "node-3"]) sample.node(node, 0, NodeState.READY);
  const pods = [0, 1].map((index) => sample.pod(job, index, 0, 10, `pi-${index}-a`));
  sample.state(pods[0]!, 500, PodState.READY, "", "node-1");
  sample.state(pods[1]!, 700, PodState.READY, "", "node-1");
  sample.node("node-1", 9_000, NodeState.CORDONED);
  sample.flag({ atMs: 9_000, kind: "drain", label: "drain node-1" });
  for (const pod of pods) sample.state(pod, 9_500, PodState.FAILED, "EvictionByEvictionAPI", "node-1");
  sample.node("node-1", 15_000, NodeState.READY);
  sample.node("node-3", 16_000, NodeState.GONE);
  sample.flag({ atMs: 12_000, untilMs: 16_000, kind: "api-errors", label: "API server answers 500" });
  sample.flag({ atMs: 14_000, untilMs: 17_000, kind: "restart-controller", label: "restart the controller" });
  return sample.timeline(20_000);
}

describe("names of nodes", () => {
  test("stay where large type has no room for numbers of pods beside them, and names of Jobs begin at least", () => {
    const sample = new Sample();
    sample.version(sample.job("one-fails"), 0, JobPhase.RUNNING, { completions: 1 });
    for (const node of ["node-1", "node-2"]) sample.node(node, 0, NodeState.READY);
    const { view } = viewOf(sample.timeline(1_000), 316);
    view.setTypeScale(1.4);
    const svg = svgOf(view.exported(316, 1), "");
    for (const name of ["node-1", "node-2"]) expect(svg).toContain(`>${name}<`);
    expect(svg).toMatch(/>one-?[^<]*</);
    view.setTypeScale(1);
    expect(svgOf(view.exported(316, 1), "")).toMatch(/>0<.*>node-1</s);
  });
});

describe("pods at work on nodes", () => {
  test.each([
    [40, false],
    [11, true],
  ])("of %d indexes, read chunk by chunk, are what a scan of all pods finds", (count, isWhole) => {
    const { sample, endMs } = indexedRun(count, 9, 4);
    const timeline = new Timeline();
    const nodes = new Nodes(timeline);
    const ends = isWhole ? [] : [3_000, 9_000, 9_001, 20_000];
    for (const [i, chunk] of sample.chunks(...ends).entries()) {
      timeline.append(chunk, ends[i] ?? endMs);
      nodes.update();
    }
    let most = 0;
    for (let ms = 0; ms <= endMs; ms += 130) {
      const naive = new Map<string, number>();
      for (let pod = 0; pod < timeline.podCount; pod++) {
        const id = timeline.transitionAt(pod, ms);
        if (id === NONE || timeline.transitions.state.at(id) >= PodState.SUCCEEDED) continue;
        const name = timeline.text(timeline.transitions.node.at(id));
        if (name !== "") naive.set(name, (naive.get(name) ?? 0) + 1);
      }
      for (const [i, { name }] of nodes.all.entries()) expect(nodes.countAt(i, ms)).toBe(naive.get(name) ?? 0);
      expect(nodes.countsAt(ms)).toEqual(nodes.all.map(({ name }) => naive.get(name) ?? 0));
      most = Math.max(most, ...naive.values());
    }
    expect(nodes.all.map(({ name }) => name).sort()).toEqual(["node-1", "node-2", "node-3"]);
    expect(nodes.peak).toBeGreaterThanOrEqual(most);
  });

  test("beyond twelve nodes are counted together, also when the thirteenth comes late", () => {
    const sample = new Sample();
    const job = sample.job("pi");
    for (let i = 0; i < 13; i++) {
      const pod = sample.pod(job, i, 0, i * 1_000, `pi-${i}-a`);
      sample.state(pod, i * 1_000 + 10, PodState.READY, "", `node-${i}`);
    }
    const timeline = new Timeline();
    const nodes = new Nodes(timeline);
    const [early, late] = sample.chunks(11_500);
    timeline.append(early!, 11_500);
    nodes.update();
    expect([nodes.isSummed, nodes.loads.length, nodes.peak]).toEqual([false, 12, 1]);
    timeline.append(late!, 13_000);
    nodes.update();
    expect([nodes.isSummed, nodes.loads.length, nodes.peak]).toEqual([true, 1, 13]);
    expect(nodes.countAt(0, 2_500)).toBe(3);
    expect(nodes.countsAt(2_500)).toEqual([1, 1, 1, ...Array<number>(10).fill(0)]);
  });
});

describe("the strip", () => {
  test("has a row for the controller and one a node, and says what they are at each point", () => {
    const timeline = drained();
    const { view, height, texts } = viewOf(timeline);
    expect(texts).toEqual(expect.arrayContaining(["controller", "node-1", "node-2", "node-3"]));
    const hits = [...allHits(view, 1_000, height).values()];
    const texts_ = hits.map(({ text }) => text);
    for (const text of [
      "controller runs",
      "controller gets errors",
      "controller gets errors, is down",
      "controller is down",
      "node-1: ready, 2 pods at work",
      "node-1: cordoned since 9.000 s, 2 pods at work",
      "node-1: cordoned and empty since 9.000 s, 0 pods at work",
      "node-2: ready, 0 pods at work",
      "node-3: gone since 16.000 s, 0 pods at work",
      "hide the nodes",
    ])
      expect(texts_).toContain(text);
    expect(hits.find(({ text }) => text.startsWith("node-1: cordoned since"))).toMatchObject({
      kind: "node",
      node: "node-1",
      ownMs: 9_000,
    });
    expect(hits.find(({ text }) => text === "controller gets errors")).toMatchObject({ ownMs: 12_000 });
  });

  test("closes down to the controller, and the picture becomes less high", () => {
    const { view, height } = viewOf(drained());
    view.setStripOpen(false);
    expect(view.preferredHeight(1_000)).toBeLessThan(height - 30);
    const texts = [...allHits(view, 1_000, height).values()].map(({ text }) => text);
    expect(texts).toContain("show the nodes (3)");
    expect(texts.filter((text) => text.startsWith("node-"))).toEqual([]);
    expect(view.legend().map(({ key }) => key)).not.toContain("load");
  });

  test("of many nodes has one row for all of them, and the table still has each", () => {
    const sample = new Sample();
    const job = sample.job("pi");
    for (let i = 0; i < 40; i++) sample.node(`node-${i}`, 0, i % 10 === 0 ? NodeState.CORDONED : NodeState.READY);
    const pod = sample.pod(job, 0, 0, 10, "pi-0-a");
    sample.state(pod, 500, PodState.READY, "", "node-3");
    const { view, height } = viewOf(sample.timeline(9_000));
    view.setPlayhead(1_000);
    const texts = [...allHits(view, 1_000, height).values()].map(({ text }) => text);
    expect(texts).toContain("40 nodes: 4 cordoned, 36 ready, 1 pod at work");
    expect(view.things()).toHaveLength(41);
    expect(view.things()[4]).toEqual({ kind: "node", name: "node-3", state: "ready", pods: 1 });
  });

  test("is walked with arrow keys from the uppermost header, and back", () => {
    const { view } = viewOf(drained());
    view.setPlayhead(13_000);
    const walk = (...directions: Parameters<typeof view.moveCursor>[0][]) =>
      directions.map((direction) => view.moveCursor(direction)?.text ?? "").at(-1);
    walk("down", "up");
    expect(walk("up")).toMatch(/^node-3: ready/);
    expect(walk("right")).toMatch(/^node-3: gone/);
    expect(walk("up", "up")).toMatch(/^node-1: ready/);
    expect(walk("left")).toMatch(/^node-1: ready, 0/);
    expect(walk("up")).toMatch(/^controller/);
    expect(walk("up")).toMatch(/^controller/);
    expect(view.cursor?.kind).toBe("controller");
    expect(walk("down", "down", "down", "down")).toMatch(/^pi /);
  });

  test("is a table at the playhead", () => {
    const { view } = viewOf(drained());
    view.setPlayhead(9_200);
    expect(view.things()).toEqual([
      { kind: "controller", name: "controller", state: "runs", pods: undefined },
      { kind: "node", name: "node-1", state: "cordoned since 9.000 s", pods: 2 },
      { kind: "node", name: "node-2", state: "ready", pods: 0 },
      { kind: "node", name: "node-3", state: "ready", pods: 0 },
    ]);
  });

  test("is walked from a heat map's first line, too", () => {
    const { sample, endMs } = indexedRun(2_500, 500, 1);
    const { view } = viewOf(sample.timeline(endMs));
    expect(view.moveCursor("down")?.kind).toBe("index");
    expect(view.moveCursor("up")?.kind).toBe("node");
    expect(view.moveCursor("down")?.kind).toBe("index");
  });

  test("is in the file, with its legend", () => {
    const svg = svgOf(viewOf(drained()).view.exported(900, 1), "x");
    for (const text of ["controller", "node-2", ">errors<", ">down<", "Pods on a node", "Cordoned"])
      expect(svg).toContain(text);
    expect(svg).not.toContain("NaN");
  });

  test("of a run with nothing in it is not there", () => {
    expect(viewOf(new Sample().timeline(0)).texts).not.toContain("controller");
  });
});
