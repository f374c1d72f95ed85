/**
 * What `account` says of a Job that does not go on (bindings/ABI.md, "account"), so that doctor and `stint why` say the
 * same. It is asked of such Jobs alone: their pods and the Events about them are read once more, with all that the
 * engine looks at.
 */
import type { Account } from "../../../bindings/js/engine.ts";
import { answeredObject, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import { AccountPods } from "../../words/account-pods.ts";
import type { AskAccount } from "../../words/ask-account.ts";
import { podsIn } from "../why/account.ts";
import type { ApiReader } from "../why/api-reader.ts";
import { aboutPod, readEvents } from "../why/warnings.ts";

const PODS_READ = 500;
const UID_LABEL = "batch.kubernetes.io/controller-uid";

/** What may not be read is left out. @returns undefined: the engine cannot read the Job */
export async function readJobAccount(
  reader: Pick<ApiReader, "get">,
  job: Job,
  ask: AskAccount,
): Promise<Account | undefined> {
  const { namespace = "", uid } = job.metadata;
  const query = { labelSelector: `${UID_LABEL}=${uid}`, limit: PODS_READ };
  const [answer, { events }] = await Promise.all([
    reader.get(withQuery(resourcePath(PODS, namespace), query)),
    readEvents(reader, namespace, `involvedObject.uid=${uid}`),
  ]);
  const pods = new AccountPods(ask, { job, events });
  pods.add(answer.status === 200 ? podsIn(answeredObject(answer)["items"]) : []);
  const { starting } = pods;
  const ofPod = starting && (await readEvents(reader, namespace, aboutPod(starting.metadata.name)));
  return ask({ job, pods: pods.all, events: [...events, ...(ofPod?.events ?? [])] });
}
