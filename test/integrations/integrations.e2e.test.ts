/**
 * The files by which other tools call Stint do what docs/integrations.md says: the GitHub action, the hook of
 * pre-commit, the plugins of k9s, and the health checks of Flux. What the tools themselves do, is done here: they give
 * the environment, and replace variables.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { celEnvironment, compile } from "../../cluster/cel/environment.ts";
import { hasKubectl, succeed } from "../host-node/kubectl.ts";
import { type Served, startServe } from "../host-node/serving.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): any => parse(readFileSync(join(root, file), "utf8"));
const TEMPLATE = "  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: c, image: busybox}]\n";
const ENDLESS = `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: endless\nspec:\n  ttlSecondsAfterFinished: 600\n${TEMPLATE}`;
const GOOD = ENDLESS.replace("endless", "good").replace("spec:\n", "spec:\n  activeDeadlineSeconds: 600\n");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-integrations-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "of a team", "deep"), { recursive: true });
  symlinkSync(join(root, "stint"), join(folder, "bin", "stint"));
  writeFileSync(join(folder, "bin", "less"), "#!/bin/sh\ncat\n");
  chmodSync(join(folder, "bin", "less"), 0o755);
  writeFileSync(join(folder, "of a team", "deep", "endless.yaml"), ENDLESS);
  writeFileSync(join(folder, "good.yaml"), GOOD);
  writeFileSync(join(folder, "compose.yaml"), "services:\n  web:\n    image: nginx\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Ran {
  const path = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    env: { HOME: folder, PATH: path, ...env },
  });
  return { status, out: stdout, err: stderr };
}

describe("the GitHub action", () => {
  const action = read("action.yml");
  const [setUp, lint] = action.runs.steps;
  const defaults = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: value }]: [string, any]) => [name, value]),
  );

  function runStep(inputs: Readonly<Record<string, string>>): Ran {
    const given = { ...defaults, ...inputs };
    const env = Object.fromEntries(
      Object.entries<string>(lint.env).map(([name, text]) => [
        name,
        text.replace("${{ github.action_path }}", root).replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input) => {
          expect(given).toHaveProperty(input);
          return given[input];
        }),
      ]),
    );
    return run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", lint.run], env);
  }

  it("sets up the command as npm start does", () => {
    expect(setUp).toMatchObject({
      "run": "node scripts/setup.mjs --command-only",
      "working-directory": "${{ github.action_path }}",
    });
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.start).toContain(setUp.run);
  });

  it("no text of an input becomes a part of the script", () => {
    expect(lint.run).not.toContain("${{");
  });

  it("marks the lines of all folders, and passes with warnings", () => {
    const { status, out } = runStep({});
    expect(status).toBe(0);
    expect(out).toMatch(/^::warning file=of a team\/deep\/endless\.yaml,line=5,.*NoDeadline/m);
    expect(out).not.toContain("good.yaml");
  });

  it("fails as its inputs say", () => {
    expect(runStep({ "fail-on": "warn" }).status).toBe(1);
    expect(runStep({ rules: "NoDeadline=deny" }).status).toBe(1);
    expect(runStep({ rules: "NoDeadline=deny", files: "\ngood.yaml\n\n" }).status).toBe(0);
    const { status, err } = runStep({ files: "good.yaml\nof a team\n", kubernetes: "1.2" });
    expect([status, err]).toEqual([2, expect.stringContaining("1.2")]);
  });
});

describe("the hook of pre-commit", () => {
  const [hook] = read(".pre-commit-hooks.yaml");
  const runHook = (args: readonly string[], files: readonly string[]): Ran => {
    const [command, ...words] = hook.entry.split(" ");
    expect(files.filter((file) => !new RegExp(hook.files).test(file))).toEqual([]);
    return run(command, [...words, ...args, ...files]);
  };

  it("lints the files of a commit, and passes over those without Jobs", () => {
    const { status, out } = runHook([], ["good.yaml", "compose.yaml", "of a team/deep/endless.yaml"]);
    expect([status, out]).toEqual([0, expect.stringContaining("warn NoDeadline")]);
    expect(runHook([], ["compose.yaml"]).status).toBe(0);
  });

  it("takes arguments", () => {
    expect(runHook(["--fail-on", "warn"], ["of a team/deep/endless.yaml"]).status).toBe(1);
  });
});

describe.skipIf(!hasKubectl)("the plugins of k9s", () => {
  let served: Served;
  beforeAll(async () => {
    served = await startServe(["--runtime", "none"]);
    await succeed(served, ["create", "-f", "-"], GOOD);
    const cronJob = { schedule: "0 0 1 1 *", jobTemplate: { spec: parse(GOOD).spec } };
    const object = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "yearly" }, spec: cronJob };
    await succeed(served, ["create", "-f", "-"], JSON.stringify(object));
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  it("are a key for each kind that why explains", async () => {
    const { plugins } = read("deploy/k9s/plugins.yaml");
    const pods = await succeed(served, ["get", "pods", "-o", "name"]);
    const names: Readonly<Record<string, string>> = {
      jobs: "good",
      cronjobs: "yearly",
      pods: String(pods).trim().replace("pod/", ""),
    };
    const { "current-context": context } = parse(readFileSync(served.kubeconfig, "utf8"));
    for (const { command, args, scopes, shortCut } of Object.values<any>(plugins)) {
      expect(shortCut).toBe("Shift-Y");
      const values: Readonly<Record<string, string>> = {
        NAME: names[scopes[0]]!,
        NAMESPACE: "default",
        CONTEXT: context,
      };
      const filled = args.map((text: string) => text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => values[name]!));
      const { status, out } = run(command, filled, { KUBECONFIG: served.kubeconfig });
      expect([status, out]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^${scopes[0].slice(0, -1)} .*${values["NAME"]}`)),
      ]);
    }
    expect(Object.values<any>(plugins).flatMap(({ scopes }) => scopes)).toEqual(["jobs", "cronjobs", "pods"]);
  });
});

describe("the health checks of Flux", () => {
  const page = readFileSync(join(root, "docs/integrations.md"), "utf8");
  const [block] = /(?<=```yaml\n)apiVersion: kustomize\.toolkit\.fluxcd\.io[^`]*/.exec(page)!;
  const [check] = parse(block).spec.healthCheckExprs;
  const condition = (type: string): object => ({ conditions: [{ type, status: "True" }] });

  it.each([
    [{}, "inProgress"],
    [{ active: 1, startTime: "2026-01-01T00:00:00Z" }, "inProgress"],
    [condition("Suspended"), "inProgress"],
    [condition("SuccessCriteriaMet"), "inProgress"],
    [condition("Complete"), "current"],
    [condition("FailureTarget"), "failed"],
    [condition("Failed"), "failed"],
  ])("say of %j alone that it is %s", (status, verdict) => {
    const environment = celEnvironment({ status: "dyn" });
    const said = ["current", "failed", "inProgress"].filter((name) =>
      compile(check[name], environment, ["bool"]).evaluate({ status }),
    );
    expect(said).toEqual([verdict]);
  });
});
