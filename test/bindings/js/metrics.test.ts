/**
 * Prometheus' text from the families of the engine, and the bounds of the families themselves. What is counted when is
 * in the vectors.
 */
import { describe, expect, test } from "vitest";
import { IngestKind } from "../../../bindings/js/engine.ts";
import { type MetricFamily, renderMetrics } from "../../../bindings/js/metrics.ts";
import { newEngine } from "./vector-files.ts";

describe("renderMetrics", () => {
  test("writes counters, gauges and histograms", () => {
    const families: MetricFamily[] = [
      {
        name: "a_total",
        type: "counter",
        help: "All of a",
        labels: ["x", "y"],
        samples: [
          { labels: ["1", ""], value: 3 },
          { labels: ["2", "z"], value: 0 },
        ],
      },
      { name: "b", type: "gauge", help: "B", labels: [], samples: [{ labels: [], value: 1.5 }] },
      {
        name: "c_seconds",
        type: "histogram",
        help: "C",
        labels: ["x"],
        bounds: [0.004, 4],
        samples: [{ labels: ["1"], buckets: [1, 2], sum: 7.25, count: 3 }],
      },
      { name: "d_total", type: "counter", help: "Never touched", labels: ["x"], samples: [] },
    ];
    expect(renderMetrics(families)).toBe(`# HELP a_total All of a
# TYPE a_total counter
a_total{x="1",y=""} 3
a_total{x="2",y="z"} 0
# HELP b B
# TYPE b gauge
b 1.5
# HELP c_seconds C
# TYPE c_seconds histogram
c_seconds_bucket{x="1",le="0.004"} 1
c_seconds_bucket{x="1",le="4"} 2
c_seconds_bucket{x="1",le="+Inf"} 3
c_seconds_sum{x="1"} 7.25
c_seconds_count{x="1"} 3
# HELP d_total Never touched
# TYPE d_total counter
`);
  });

  test("escapes what would end a value or a line", () => {
    const family: MetricFamily = {
      name: "a",
      type: "counter",
      help: 'back\\slash, "quotes"\nand a line',
      labels: ["x"],
      samples: [{ labels: ['back\\slash, "quotes"\nand a line'], value: 1 }],
    };
    expect(renderMetrics([family])).toBe(
      `# HELP a back\\\\slash, "quotes"\\nand a line\n# TYPE a counter\na{x="back\\\\slash, \\"quotes\\"\\nand a line"} 1\n`,
    );
  });
});

describe("the families of the engine", () => {
  test("are well formed, each name once", async () => {
    const { families } = (await newEngine()).metrics();
    expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
    for (const { name, type, help, labels, bounds = [] } of families) {
      for (const word of [name, ...labels]) expect(word).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
      expect(help).not.toBe("");
      expect(name.endsWith(type === "counter" ? "_total" : "_seconds"), name).toBe(true);
      expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
    }
  });

  test("have a bounded number of external controllers: after the 64th they are other", async () => {
    const engine = await newEngine();
    engine.configure({
      instance: "test",
      sources: [
        { id: 0, resource: "jobs" },
        { id: 1, resource: "pods" },
      ],
    });
    const job = (i: number): object => ({
      metadata: { name: `j${i}`, namespace: "default", uid: `uid-${i}`, resourceVersion: String(i + 1), generation: 1 },
      spec: { managedBy: `example.com/c${i % 70}`, parallelism: 1, template: { spec: {} } },
      status: {},
    });
    engine.ingest(0, IngestKind.listBegin, "", 0);
    engine.ingest(
      0,
      IngestKind.page,
      JSON.stringify({
        kind: "JobList",
        metadata: { resourceVersion: "1000" },
        items: Array.from({ length: 140 }, (_, i) => job(i)),
      }),
      0,
    );
    const { samples } = engine
      .metrics()
      .families.find(({ name }) => name === "job_controller_jobs_by_external_controller_total")!;
    expect(samples.slice(0, 64)).toEqual(
      Array.from({ length: 64 }, (_, i) => ({ labels: [`example.com/c${i}`], value: 2 })),
    );
    expect(samples.slice(64)).toEqual([{ labels: ["other"], value: 12 }]);
  });
});
