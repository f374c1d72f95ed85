/** What the client of webhooks makes of a configuration that nobody can follow. */
import { expect, test } from "vitest";
import type { CallAnswer } from "../../../cluster/apiserver/admission-plugins/pending-review.ts";
import type { ClientConfig } from "../../../cluster/apiserver/admission-plugins/webhook-matching.ts";
import { WebhookClient } from "../../../host-node/server/webhook-client.ts";

const noCluster = (): never => {
  throw new Error("nothing is read of the cluster");
};

function ask(client: ClientConfig): Promise<CallAnswer> {
  const call = { key: "k", client, timeoutSeconds: 1, review: { request: { uid: "u" } } };
  return new Promise((resolve) => new WebhookClient(noCluster).ask(call, resolve));
}

test.each(["https://[::1/", "https://a b/", "https://127.0.0.1:99999/", "https://%zz/"])(
  "%s is an address that cannot be asked, and says so",
  async (url) => expect(await ask({ url })).toEqual({ failure: `Post "${url}": Invalid URL` }),
);
