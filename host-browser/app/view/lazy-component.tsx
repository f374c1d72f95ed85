/**
 * Components in bundles of their own, which are fetched after the first picture stands.
 *
 * Invariant: nothing is fetched because it is shown: until `fetch` is called its place is empty.
 */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

export interface LazyComponent<P> {
  (props: P): preact.JSX.Element | null;
  /** Fetches it, if it is not there. Rejects when it cannot be fetched, and the next call tries again. */
  fetch(): Promise<void>;
}

export function lazyComponent<P extends object>(load: () => Promise<ComponentType<P>>): LazyComponent<P> {
  const loaded = signal<{ readonly Component: ComponentType<P> } | undefined>(undefined);
  const fetch = async (): Promise<void> => {
    const Component = await load();
    loaded.value ??= { Component };
  };
  const Shown = (props: P): preact.JSX.Element | null => {
    const there = loaded.value;
    return there === undefined ? null : <there.Component {...props} />;
  };
  return Object.assign(Shown, { fetch });
}
