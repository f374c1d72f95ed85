/**
 * Lazy components in separate bundles, fetched after the first picture is drawn, or on first use.
 *
 * Invariant: rendering a component never fetches it: until `fetch` is called its place is empty.
 */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

export interface LazyComponent<P> {
  (props: P): preact.JSX.Element | null;
  /** Fetches the component, unless it is loaded. Rejects when that fails, and the next call retries. */
  fetch(): Promise<void>;
}

/** Fetches a component when it is first to be shown. @param onFailed gets the reason; the next use tries again */
export function useFetched<P>(component: LazyComponent<P>, isShown: boolean, onFailed: (error: unknown) => void): void {
  useEffect(() => {
    if (isShown) component.fetch().catch(onFailed);
  }, [isShown]);
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
