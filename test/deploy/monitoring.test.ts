/**
 * The alert rules and the dashboard ask for metrics and labels that are there, each alert is explained and tried, and
 * the files fit together. What the rules do is in deploy/monitoring/rules.test.yaml; promtool runs it in
 * test/kubernetes/alerts.test.ts.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Engine } from "../../bindings/js/engine.ts";
import { ControllerMetrics } from "../../host-node/controller/metrics.ts";
import { loadEngineModule } from "../../host-node/engine-module.ts";
import { ShadowMetrics } from "../../host-node/shadow/metrics.ts";
import { KUBE_STATE_METRICS } from "./kube-state-metrics.ts";
import { selectorsOf } from "./promql.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const yaml = (file: string): any => parse(read(`deploy/monitoring/${file}`));

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Case {
  readonly alertname: string;
  readonly exp_alerts?: readonly unknown[];
}

const rules: Rule[] = yaml("prometheus-rule.yaml").spec.groups.flatMap((group: { rules: Rule[] }) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const dashboard = JSON.parse(read("deploy/monitoring/dashboard.json"));
/** What Grafana fills in, as it would. */
const queries: string[] = dashboard.panels
  .flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr))
  .map((expr: string) => expr.replace(/\$__(rate_interval|range)/g, "5m"));

/** Labels that Prometheus gives to what it scrapes. */
const TARGET = ["job", "instance", "namespace", "pod"];

/** Every metric that may be asked for, with its labels. */
async function known(): Promise<Map<string, readonly string[]>> {
  const { module, sha256 } = await loadEngineModule();
  const engine = await Engine.create(module, sha256);
  const page = new ControllerMetrics({
    engine: () => engine,
    engineFailures: () => 0,
    maxInFlight: 32,
    isLeading: () => true,
    leaseName: "stint",
    host: "10.0.0.1",
    recorder: { isRecording: true, bytes: 0, lost: 0 },
  });
  const counts = { judged: 0, undecided: 0, stalled: 0, jobs: 0 };
  const shadow = new ShadowMetrics({ counts: () => counts, host: "10.0.0.1" });
  const labels = new Map<string, readonly string[]>(
    engine.metrics().families.map((family) => [family.name, family.labels]),
  );
  labels.set("rest_client_requests_total", ["code", "method", "host"]);
  labels.set("rest_client_request_duration_seconds", ["verb", "host"]);
  labels.set("leader_election_master_status", ["name"]);
  labels.set("stint_shadow_divergences_total", ["kind", "known"]);
  const found = new Map<string, readonly string[]>(Object.entries(KUBE_STATE_METRICS));
  const pages = (await page.text()) + (await shadow.text());
  for (const [, name, type] of pages.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const own = [...TARGET, ...(labels.get(name!) ?? [])];
    if (type === "histogram") found.set(`${name}_bucket`, [...own, "le"]);
    else found.set(name!, own);
  }
  for (const { record } of rules) if (record !== undefined) found.set(record, ["namespace", "job_name"]);
  // Prometheus' own.
  found.set("ALERTS", ["alertname", "alertstate"]);
  return found;
}

async function strangersIn(expressions: readonly string[]): Promise<string[]> {
  const metrics = await known();
  return expressions.flatMap(selectorsOf).flatMap(({ metric, labels }) => {
    const own = metrics.get(metric);
    if (own === undefined) return [metric];
    return labels.filter((label) => !own.includes(label)).map((label) => `${metric}{${label}}`);
  });
}

describe("deploy/monitoring", () => {
  it("asks only for metrics and labels that there are", async () => {
    expect(await strangersIn(rules.map(({ expr }) => expr))).toEqual([]);
    expect(await strangersIn(queries)).toEqual([]);
    const variables = dashboard.templating.list.flatMap(({ definition }: { definition?: string }) =>
      definition === undefined ? [] : [/^label_values\((.*), (\w+)\)$/.exec(definition)!.slice(1)],
    );
    expect(await strangersIn(variables.map(([selector]: string[]) => selector!))).toEqual([]);
    expect(variables.map(([, label]: string[]) => label)).toEqual(["namespace", "job"]);
  });

  it("would find a metric or a label that there is not, and what is no query", async () => {
    expect(await strangersIn(['sum(job_controller_job_syncs{result="error"})', 'stint_jobs{team="a"}'])).toEqual([
      "job_controller_job_syncs",
      "stint_jobs{team}",
    ]);
    expect(() => selectorsOf("sum by (job) (rate(a[5m]")).toThrow(/^no PromQL at character \d+/);
    expect(() => selectorsOf('{__name__="a"}')).toThrow(/hides its name/);
  });

  it("never counts failed pods, and reads a condition by its status", () => {
    for (const { metric, labels } of rules.flatMap(({ expr }) => selectorsOf(expr))) {
      expect(metric).not.toBe("kube_job_status_failed");
      if (/^kube_job_(failed|complete)$/.test(metric)) expect(labels, metric).toContain("condition");
    }
  });

  it("says of each alert what is wrong, what to do, how bad it is, and where more is said", () => {
    const guide = read("docs/alerts.md");
    for (const { alert, labels, annotations } of alerts) {
      expect(Object.keys(annotations!), alert).toEqual(["summary", "description", "runbook"]);
      expect(["warning", "critical"], alert).toContain(labels!["severity"]);
      expect(annotations!["runbook"], alert).toBe(`docs/alerts.md#${alert!.toLowerCase()}`);
      expect(guide, alert).toContain(`\n### ${alert}\n\n`);
    }
    const explained = [...guide.matchAll(/^### (Stint\w+)$/gm)].map(([, alert]) => alert);
    expect(explained).toEqual(alerts.map(({ alert }) => alert));
  });

  it("has for each alert a case in which it fires, and one in which it does not", () => {
    const cases: Case[] = yaml("rules.test.yaml").tests.flatMap(
      ({ alert_rule_test }: { alert_rule_test: Case[] }) => alert_rule_test,
    );
    const names = alerts.map(({ alert }) => alert).toSorted();
    const of = (fires: boolean): string[] => [
      ...new Set(cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === fires).map((one) => one.alertname)),
    ];
    expect(of(true).toSorted()).toEqual(names);
    expect(of(false).toSorted()).toEqual(names);
  });

  it("scrapes the Services of the controller and of its shadow", () => {
    const { selector, namespaceSelector, endpoints } = yaml("service-monitor.yaml").spec;
    const folders = ["deploy/controller/base", "deploy/controller/overlays/shadow"];
    const kustomizations = folders.map((folder) => parse(read(`${folder}/kustomization.yaml`)));
    expect(namespaceSelector.matchNames).toEqual(kustomizations.map(({ namespace }) => namespace));
    for (const { labels } of kustomizations) expect(labels[0].pairs).toMatchObject(selector.matchLabels);
    for (const folder of folders) {
      const service = parse(read(`${folder}/metrics.yaml`).split("\n---\n")[0]!);
      const ports = service.spec.ports.map(({ name }: { name: string }) => name);
      for (const { port } of endpoints) expect(ports).toContain(port);
    }
  });

  it("has a dashboard whose panels do not overlap, each with a title, a description and a query", () => {
    expect(dashboard).toMatchObject({
      uid: "stint-jobs",
      schemaVersion: expect.any(Number),
      panels: expect.any(Array),
    });
    expect(dashboard.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
    const taken = new Set<string>();
    const ids = new Set<number>();
    for (const { id, type, title, description, datasource, targets, gridPos } of dashboard.panels) {
      ids.add(id);
      expect(title, `panel ${id}`).toMatch(/\S/);
      if (type !== "row") {
        expect(description, title).toMatch(/\.$/);
        expect(datasource, title).toEqual({ type: "prometheus", uid: "${datasource}" });
        expect(targets.length, title).toBeGreaterThan(0);
      }
      const { x, y, w, h } = gridPos;
      expect(x + w, title).toBeLessThanOrEqual(24);
      for (let column = x; column < x + w; column++)
        for (let line = y; line < y + h; line++) {
          expect(taken, `${title} covers another panel`).not.toContain(`${column},${line}`);
          taken.add(`${column},${line}`);
        }
    }
    expect(ids.size).toBe(dashboard.panels.length);
  });
});
