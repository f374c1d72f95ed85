/**
 * Lazy components in separate bundles, fetched after the first picture is drawn.
 *
 * Invariant: rendering a component never fetches it: until `fetch` is called its place is empty.
 */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

export interface LazyComponent<P> {
  (props: P): preact.JSX.Element | null;
  /** Fetches the component, unless it is loaded. Rejects when that fails, and the next call retries. */
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
