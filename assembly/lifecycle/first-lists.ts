/** What happens once, when every source has been listed for the first time. */
import { forEachPod, Pod } from "../model/pod";
import { has, isTerminal, POD_FINALIZER, POD_ORPHAN, POD_UNSELECTED } from "../model/pod-state";
import { forgetPod } from "./forget-pod";
import { considerOrphan } from "./orphans";
import { recallBackoffs } from "./past-pods";

/**
 * Every source has been listed. Pods whose Job did not appear become orphans, or wait for it. Records of finished pods
 * without their finalizer are dropped.
 */
export function takeFirstLists(): void {
  recallBackoffs();
  forEachPod((pod: Pod, _: u64) => {
    if (isTerminal(pod) && !has(pod, POD_FINALIZER | POD_ORPHAN | POD_UNSELECTED)) forgetPod(pod, true);
    else if (pod.job === null) considerOrphan(pod);
  }, 0);
}
