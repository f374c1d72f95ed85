/** Everything this kubelet does about changes of a running pod, for the option `followPod` of a kubelet. */
import { runEphemeral } from "./ephemeral-containers.ts";
import { resizePod } from "./pod-resize.ts";
import type { FollowPod, PodFollower } from "./pod-worker.ts";

const FOLLOWERS: readonly FollowPod[] = [runEphemeral, resizePod];

export const followChanges: FollowPod = (changes, ...pod) =>
  new Changes(FOLLOWERS.map((follow, index) => follow((changes as Changes | undefined)?.followers[index], ...pod)));

class Changes implements PodFollower {
  readonly followers: readonly (PodFollower | undefined)[];

  constructor(followers: readonly (PodFollower | undefined)[]) {
    this.followers = followers;
  }

  get areRunning(): boolean {
    return this.followers.some((follower) => follower?.areRunning);
  }

  stop(graceSeconds: number): void {
    for (const follower of this.followers) follower?.stop(graceSeconds);
  }

  /** In the order of FOLLOWERS: the sizes include added containers. */
  addTo(status: Parameters<PodFollower["addTo"]>[0]): void {
    for (const follower of this.followers) follower?.addTo(status);
  }
}
