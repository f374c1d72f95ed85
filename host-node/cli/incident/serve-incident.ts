/**
 * The cluster of an incident over HTTPS on loopback, for kubectl and `stint why`, until it is interrupted.
 *
 * Invariant: the incident was played before the address is printed. It ends now: its time began as long ago as it
 * lasts, and moves from then on as real time does.
 */
import { resolve } from "node:path";
import { RealClock } from "../../clock.ts";
import { Steering } from "../../control/steering.ts";
import { newToken } from "../../data/identity.ts";
import { type Incident } from "../../incidents/incident.ts";
import { IncidentWorld, limitOf } from "../../incidents/world.ts";
import { withExplanations } from "../../server/explanations.ts";
import type { RequestHandler } from "../../server/https-server.ts";
import { startServer } from "../../server/https-server.ts";
import { writeKubeconfig } from "../../server/kubeconfig.ts";
import { withProtobuf } from "../../server/protobuf.ts";
import { withYaml } from "../../server/yaml.ts";
import { printable } from "../../words/printable.ts";
import { shellWord } from "../../words/shell-word.ts";
import type { Console } from "../console.ts";
import { headOf, type IncidentOptions } from "./incident.ts";
import { seededRandom } from "../../../cluster/values/random.ts";
import { documentLine } from "../json/document.ts";
import type { IncidentServing } from "./document.ts";

const SEED = 1;
/** How often its time follows. */
const TICK_MS = 500;

/** @returns the exit status, when it was interrupted. @throws UsageError when the port or the file is taken */
export async function serveIncident(incident: Incident, options: IncidentOptions, console: Console): Promise<number> {
  const clock = new RealClock();
  const report = (text: string): void => console.writeError(`stint: ${printable(text)}\n`);
  const random = seededRandom(SEED);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const startMs = clock.now() - limitOf(incident);
  const onFatal = (error: Error): void => {
    report(`the cluster has broken: ${error.message}`);
    end(1);
  };
  const steering = new Steering({ clock: "virtual", startMs, random, record: false, onFatal });
  const world = await IncidentWorld.create(incident, steering, random);
  const stopListening = console.onSignal(() => end(0));
  try {
    await world.play(options.repaired);
    const token = newToken();
    const server = await startServer({
      handler: handlerOf(world, steering),
      port: options.port,
      token,
      clock,
      authenticate: world.embedded.authenticate,
      conversations: world.embedded.conversations,
      onCrowded: report,
      onError: (error) => report(`a request failed: ${error.stack ?? error.message}`),
    });
    try {
      const path = resolve(console.workingDirectory, options.kubeconfig);
      const remove = writeKubeconfig(path, { server: server.url, authority: server.authority, token });
      try {
        console.writeOut(servingText(incident, server.url, path, options, console));
        followTime(world, clock, onFatal);
        return await ended;
      } finally {
        remove();
      }
    } finally {
      await server.close();
    }
  } finally {
    stopListening();
    clock.stop();
    await world.stop();
  }
}

/** Clients compute from the date of an answer how long ago its times are. */
function handlerOf({ embedded, cluster }: IncidentWorld, { seen }: Steering): RequestHandler {
  const explained = withExplanations(
    embedded.cluster,
    () => embedded.engine,
    () => cluster.now(),
    seen.failures,
  );
  const dated: RequestHandler = {
    handle: (request) => {
      const answer = explained.handle(request);
      return { ...answer, headers: { ...answer.headers, date: new Date(cluster.now()).toUTCString() } };
    },
  };
  return withProtobuf(withYaml(dated));
}

function followTime({ cluster }: IncidentWorld, clock: RealClock, onFatal: (error: Error) => void): void {
  const aheadMs = cluster.now() - clock.now();
  const follow = (): void => {
    const behindMs = clock.now() + aheadMs - cluster.now();
    cluster.advance(Math.max(0, behindMs)).then(() => void clock.setTimer(TICK_MS, follow), onFatal);
  };
  follow();
}

function servingText(
  incident: Incident,
  server: string,
  path: string,
  { output }: IncidentOptions,
  console: Console,
): string {
  const { name, subject } = incident;
  if (output === "json")
    return documentLine({ type: "serving", incident: name, server, kubeconfig: path } satisfies IncidentServing);
  return [
    headOf(incident, console),
    "",
    `Serving its cluster at ${server} until Ctrl-C. In another terminal:`,
    `  export KUBECONFIG=${shellWord(path)}`,
    "  kubectl get jobs,pods",
    `  ${console.command} why ${subject.kind.toLowerCase()}/${subject.name}`,
    "",
    "",
  ].join("\n");
}
