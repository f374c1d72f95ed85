/** All that this kubelet does about changes of a pod that is there already: what `followPod` of a kubelet is given. */
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

  /** In their order: sizes are told of added containers too. */
  addTo(status: Parameters<PodFollower["addTo"]>[0]): void {
    for (const follower of this.followers) follower?.addTo(status);
  }
}
