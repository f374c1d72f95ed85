/** Finds a container that runs by its pod and its name, for what clients start in it or attach to. */

/** The known facts about a running container. */
export interface Placed {
  readonly place: { readonly podUid: string; readonly container: string };
}

export function lookUp<Running extends Placed>(
  all: Iterable<Running>,
  podUid: string,
  container: string,
): Running | undefined {
  return [...all].find(({ place }) => place.podUid === podUid && place.container === container);
}

/** @throws Error when the container does not run */
export function find<Running extends Placed>(all: Iterable<Running>, podUid: string, container: string): Running {
  const running = lookUp(all, podUid, container);
  if (running === undefined) throw new Error(`container not found (${JSON.stringify(container)})`);
  return running;
}
