/** What happens once, when every source has been listed for the first time. */
import { forEachPod, isTerminal, Pod, POD_FINALIZER, POD_ORPHAN, POD_UNSELECTED } from "../model/pod";
import { forgetPod } from "./forget-pod";
import { considerOrphan } from "./orphans";
import { recallBackoffs } from "./past-pods";

/**
 * Every source has been listed. Pods whose Job did not appear become orphans, or wait for it. Pods that are over are
 * let go.
 */
export function takeFirstLists(): void {
  recallBackoffs();
  forEachPod((pod: Pod, _: u64) => {
    if (isTerminal(pod) && (pod.flags & (POD_FINALIZER | POD_ORPHAN | POD_UNSELECTED)) == 0) forgetPod(pod, true);
    else if (pod.job === null) considerOrphan(pod);
  }, 0);
}
