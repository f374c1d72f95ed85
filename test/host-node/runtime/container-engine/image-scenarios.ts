/** Scenarios of images: when they are pulled, with which credentials, and what a container gets from its image. */
import { expect, test } from "vitest";
import type { Secret } from "../../../../cluster/values/kinds.ts";
import { podOf, run } from "../running.ts";
import { PULLER, type ScenarioEngine } from "./scenario-engine.ts";

/** Call it first: it counts what is pulled. */
export function imageScenarios(on: ScenarioEngine): void {
  test("an image is pulled once, and then it is present", async () => {
    const first = await run(on.runtime, on.shell("echo hello; echo problem >&2; exit 3"));
    expect(first).toMatchObject({ exit: { exitCode: 3 }, stdout: "hello\n", stderr: "problem\n" });
    expect((await run(on.runtime, on.shell("exit 0"))).exit).toEqual({ exitCode: 0 });
    const { shell: image } = on.subject.images;
    expect(on.pulls).toEqual([`pulling ${image}`, `pulled ${image} of some bytes`, `present ${image}`]);
    expect(on.events.map((event) => event.replace(/\d[\dms.]*s|\d+(?= bytes)/g, "N"))).toEqual([
      `main: Pulling: Pulling image "${image}"`,
      `main: Pulled: Successfully pulled image "${image}" in N (N including waiting). Image size: N bytes.`,
      `main: Pulled: Container image "${image}" already present on machine and can be accessed by the pod`,
    ]);
  });

  test("policy Always pulls an image that is present", async () => {
    on.pulls.length = 0;
    await run(on.runtime, on.shell("exit 0", { imagePullPolicy: "Always" }));
    expect(on.pulls[0]).toBe(`pulling ${on.subject.images.shell}`);
  });

  test("policy Never does not pull", async () => {
    const { failed } = await run(
      on.runtime,
      on.shell("exit 0", { image: on.subject.images.missing, imagePullPolicy: "Never" }),
    );
    expect(failed).toEqual({
      reason: "ErrImageNeverPull",
      message: `Container image "${on.subject.images.missing}" is not present with pull policy of Never`,
    });
  });

  test("an image that is not there, and one whose name is none", async () => {
    const missing = await run(on.runtime, on.shell("exit 0", { image: on.subject.images.missing }));
    expect(missing.failed).toMatchObject({ reason: "ErrImagePull" });
    expect(missing.failed!.message).toMatch(/manifest/);
    expect((await run(on.runtime, on.shell("exit 0", { image: "Not A Name" }))).failed).toEqual({
      reason: "InvalidImageName",
      message:
        'Failed to apply default image tag "Not A Name": couldn\'t parse image name "Not A Name": invalid reference format',
    });
  });

  test("credentials of imagePullSecrets open a registry, and are in no message", async () => {
    const { user, password } = PULLER;
    const { closed } = on.subject.images;
    const config = JSON.stringify({ auths: { [closed.split("/")[0]!]: { username: user, password } } });
    const secret = { data: { ".dockerconfigjson": Buffer.from(config).toString("base64") } } as unknown as Secret;
    const knowing = await on.connect({ findSecret: (_namespace, name) => (name === "pull" ? secret : undefined) });
    const refused = await run(knowing, on.shell("exit 0", { image: closed }));
    expect(refused.failed).toMatchObject({ reason: "ErrImagePull" });
    expect(refused.failed!.message).not.toContain(password);
    const allowed = await run(knowing, on.shell("exit 0", { image: closed }, { imagePullSecrets: [{ name: "pull" }] }));
    expect(allowed.exit).toEqual({ exitCode: 0 });
    await knowing.close();
  });

  test("command and args override the entrypoint and command of the image", async () => {
    const { configured } = on.subject.images;
    const of = async (container: object): Promise<string> =>
      (
        await run(on.runtime, {
          ...podOf([], {}),
          spec: { containers: [{ name: "main", image: configured, resources: {}, ...container }] },
        })
      ).stdout;
    expect(await of({})).toBe("from the image\n");
    expect(await of({ args: ["echo from args"] })).toBe("from args\n");
    expect(await of({ command: ["/bin/sh", "-c", "echo from $FROM"] })).toBe("from image\n");
  });

  test("runAsNonRoot looks at the image's user", async () => {
    const security = { runAsNonRoot: true };
    const root = await run(on.runtime, on.shell("exit 0", { securityContext: security }));
    expect(root.failed).toMatchObject({ reason: "CreateContainerConfigError" });
    expect(root.failed!.message).toMatch(/^container has runAsNonRoot and image will run as root \(pod: /);
    const other = await run(
      on.runtime,
      on.shell("exit 0", { image: on.subject.images.configured, securityContext: security }),
    );
    expect(other.exit).toEqual({ exitCode: 0 });
  });
}
