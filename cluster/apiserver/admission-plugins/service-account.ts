/**
 * Pods run as an account that exists, with its image pull secrets. The account `default` of a namespace counts as
 * existing before its controller has created it: upstream waits for that. Leaves out the volume with a token, and the
 * annotation that limits which secrets may be mounted. Source: plugin/pkg/admission/serviceaccount.
 */
import { keyOf } from "../contract/context.ts";
import { forbidden } from "../contract/status-errors.ts";
import type { AdmissionPlugin } from "./chain.ts";

export const serviceAccount: AdmissionPlugin = {
  mutate(pod, current, { definition, subresource, server, namespace }) {
    if (definition.body.goType !== "core.Pod" || current !== undefined || subresource !== undefined) return pod;
    const { serviceAccountName: name, imagePullSecrets } = pod["spec"];
    const accounts = server.store(server.definition("", "serviceaccounts"));
    const account = accounts.get(keyOf(namespace, name))?.object;
    if (!account && name !== "default")
      throw forbidden(
        { group: "", name: "pods" },
        pod.metadata.name,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    if (imagePullSecrets?.length || !account?.["imagePullSecrets"]?.length) return pod;
    return { ...pod, spec: { ...pod["spec"], imagePullSecrets: account["imagePullSecrets"] } };
  },
};
