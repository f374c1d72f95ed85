/**
 * Creates the ServiceAccount `default` in each namespace, and recreates it after a deletion. Source:
 * pkg/controller/serviceaccount.
 */
import { isRetryable, NAMESPACES, resourcePath, SERVICE_ACCOUNTS } from "../../client/client.ts";
import type { ControllerOptions } from "../../client/collections.ts";
import type { Part } from "../../client/part.ts";
import { type ControllerTools, type Done, keyedController } from "../keyed-controller.ts";

const NAME = "default";
const SETTINGS = { userAgent: "service-account-controller", watched: [NAMESPACES, SERVICE_ACCOUNTS] };

/** Its keys are the names of namespaces. */
export function serviceAccountController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => ({
    changed: (resource, { metadata }) => {
      if (resource === NAMESPACES) tools.queue.add(metadata.name);
      else if (metadata.name === NAME) tools.queue.add(metadata.namespace!);
    },
    sync: (namespace, done) => sync(tools, namespace, done),
  }));
}

function sync({ client, known, report }: ControllerTools, namespace: string, done: Done): void {
  const isActive = known.get(NAMESPACES, namespace)?.["status"]?.phase === "Active";
  if (!isActive || known.get(SERVICE_ACCOUNTS, `${namespace}/${NAME}`)) {
    done("done");
    return;
  }
  const account = { metadata: { name: NAME, namespace } };
  client.create(resourcePath(SERVICE_ACCOUNTS, namespace), account, (result) => {
    // Another client may have created it, and the namespace may be terminating.
    if (result.ok || result.error.reason === "AlreadyExists" || !isRetryable(result.error)) {
      done("done");
      return;
    }
    report(result.error);
    done("failed");
  });
}
