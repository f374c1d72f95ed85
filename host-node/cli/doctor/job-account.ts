/**
 * What `account` says of a Job that does not go on (bindings/ABI.md, "account"), so that doctor and `stint why` say the
 * same. It is asked of such Jobs alone: their pods and the Events about them are read once more, with all that the
 * engine looks at.
 */
import type { Account } from "../../../bindings/js/engine.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import { readPodsOf } from "../why/account.ts";
import type { ApiReader } from "../why/api-reader.ts";
import { aboutPod, readEvents } from "../why/warnings.ts";

/** What may not be read is left out. @returns undefined: the engine cannot read the Job */
export async function readJobAccount(
  reader: Pick<ApiReader, "get">,
  job: Job,
  ask: AskAccount,
): Promise<Account | undefined> {
  const { read, pods } = await readPodsOf(reader, job, ask);
  const { starting } = pods;
  const ofPod = starting && (await readEvents(reader, job.metadata.namespace ?? "", aboutPod(starting.metadata.name)));
  return ask({ job, pods: pods.all, events: [...read.events, ...(ofPod?.events ?? [])] });
}
