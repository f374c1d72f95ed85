/** Components in bundles of their own, which are fetched after the first picture stands, or when they are shown. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

export interface Later<P> {
  (props: P): preact.JSX.Element | null;
  /** Fetches it, so that it is there when it is asked for, also when the network has gone. */
  fetch(): void;
}

/** Shows nothing until the component is there. A failed fetch is tried again with the next one. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): Later<P> {
  const loaded = signal<{ readonly Component: ComponentType<P> } | undefined>(undefined);
  let isLoading = false;
  const fetch = (): void => {
    if (isLoading || loaded.peek() !== undefined) return;
    isLoading = true;
    void load()
      .then((Component) => (loaded.value = { Component }))
      .catch(() => undefined)
      .finally(() => (isLoading = false));
  };
  const Shown = (props: P): preact.JSX.Element | null => {
    const there = loaded.value;
    if (there !== undefined) return <there.Component {...props} />;
    fetch();
    return null;
  };
  return Object.assign(Shown, { fetch });
}
