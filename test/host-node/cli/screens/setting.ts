/** The folder in which the shots are taken: the files and the cluster of the transcripts of `stint why`. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { createServerCertificate } from "../../../../host-node/server/certificates.ts";
import { Player } from "../transcripts/play.ts";
import { parseTranscript, type Transcript } from "../transcripts/transcript.ts";

export interface Setting {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

const root = path.resolve(import.meta.dirname, "../../../..");
const DONE = `apiVersion: batch/v1
kind: Job
metadata: {name: done}
spec:
  template:
    metadata: {annotations: {stint.dev/simulate: '{"runMs":10}'}}
    spec: {restartPolicy: Never, containers: [{name: main, image: none}]}
`;

export async function startSetting(): Promise<Setting> {
  const [jobs, cronJobs] = ["why", "why-cron-job"].map(transcript) as [Transcript, Transcript];
  const player = await Player.start({
    ...jobs,
    masks: [],
    files: new Map([...jobs.files, ...cronJobs.files, ["done.yaml", DONE], ...Object.entries(certificate())]),
  });
  const blocks = [
    { kind: "request", line: "POST /apis/batch/v1/namespaces/default/jobs @done.yaml" } as const,
    ...jobs.preparation.blocks,
    ...cronJobs.preparation.blocks,
  ];
  await player.play({ title: "", blocks, text: "" });
  const bin = path.join(player.folder, ".bin");
  mkdirSync(bin);
  symlinkSync(path.join(root, "stint"), path.join(bin, "stint"));
  cpSync(path.join(root, "examples"), path.join(player.folder, "examples"), { recursive: true });
  cpSync(path.join(root, "test/vectors/kubectl-logs"), player.folder, { recursive: true });
  const environment = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: player.folder,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    KUBECONFIG: "stint.kubeconfig",
  };
  return { folder: player.folder, environment, stop: () => player.stop() };
}

function transcript(name: string): Transcript {
  return parseTranscript(name, readFileSync(path.join(import.meta.dirname, `../transcripts/${name}.txt`), "utf8"));
}

function certificate(): Record<string, string> {
  const { certificate, privateKey } = createServerCertificate(Date.now());
  return { "tls.crt": certificate, "tls.key": privateKey };
}
