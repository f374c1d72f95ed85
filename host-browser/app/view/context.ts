/** How components reach the page's state. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Playground } from "../playground.ts";

export const PlaygroundContext = createContext<Playground | undefined>(undefined);

export function usePlayground(): Playground {
  return useContext(PlaygroundContext)!;
}
