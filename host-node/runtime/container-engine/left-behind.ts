/**
 * Every object that Stint makes in an engine has a label with the process that made it. The next process on the same
 * machine removes what a killed one has left behind.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { EngineClient } from "./engine-client.ts";
import { removeContainer } from "./engine-container.ts";

const LABEL = "dev.stint.process";
/** Marks the purpose of a container, as Kubernetes' own runtimes do. */
export const TYPE_LABEL = "io.kubernetes.docker.type";
export const SANDBOX_TYPE = "podsandbox";

interface Listed {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/** The labels of all that a runtime of this process makes; no other has the same. */
export function ownLabels(): Record<string, string> {
  return { [LABEL]: `${hostname()}/${process.pid}`, "dev.stint.run": randomUUID() };
}

/** Removes containers and volumes of these labels. The containers that hold networks go after those that use them. */
export async function removeLabelled(client: EngineClient, labels: Readonly<Record<string, string>>): Promise<void> {
  const filters = JSON.stringify({ label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) });
  const containers: Listed[] = await client.json("GET", "/containers/json", { query: { all: "1", filters } });
  const [sandboxes = [], others = []] = [true, false].map((isSandbox) =>
    containers.filter(({ Labels }) => (Labels[TYPE_LABEL] === SANDBOX_TYPE) === isSandbox),
  );
  for (const group of [others, sandboxes]) await Promise.all(group.map(({ Id }) => removeContainer(client, Id)));
  const { Volumes } = await client.json("GET", "/volumes", { query: { filters } });
  const volumes = (Volumes ?? []) as { readonly Name: string }[];
  await Promise.all(volumes.map(({ Name }) => client.json("DELETE", `/volumes/${Name}`)));
}

/** Removes leftovers of ended processes. @returns the processes that had left them behind */
export async function removeLeftBehind(client: EngineClient): Promise<string[]> {
  const filters = JSON.stringify({ label: [LABEL] });
  const containers: Listed[] = await client.json("GET", "/containers/json", { query: { all: "1", filters } });
  const { Volumes } = await client.json("GET", "/volumes", { query: { filters } });
  const all = [...containers, ...((Volumes ?? []) as Pick<Listed, "Labels">[])];
  const makers = new Set(all.map(({ Labels }) => Labels[LABEL]!));
  const gone = [...makers].filter((maker) => !lives(maker));
  for (const maker of gone) await removeLabelled(client, { [LABEL]: maker });
  return gone;
}

/** Processes of other machines, and of other containers, count as running. */
function lives(maker: string): boolean {
  const [host, pid] = maker.split("/");
  if (host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
