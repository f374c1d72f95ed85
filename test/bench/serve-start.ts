/**
 * From the start of the process `stint serve --control` until it serves, and its memory then: what each test of another
 * language pays that starts a separate cluster. The baseline is Node itself, which does nothing.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BUNDLE } from "../host-node/serving.ts";
import type { Bench } from "./measure.ts";
import { type Arguments, median, NODE, residentBytes } from "./processes.ts";

const AIM_MICROS = 250_000;
const AIM_BYTES = 90_000_000;

export function serveStartBenches(isQuick: boolean): Bench[] {
  const starts = isQuick ? 3 : 15;
  const timed = (args: Arguments) => () => median(starts, args, (_child, micros) => micros);
  const weighed = (args: Arguments) => () => median(1, args, residentBytes);
  const benches: Bench[] = [
    {
      title: "stint serve --control, from its start until it serves",
      unit: { kind: "long", per: "start" },
      contenders: () => [
        { name: "stint serve", run: timed(serve) },
        { name: "node alone", run: timed(() => NODE) },
        { name: "aim", amount: AIM_MICROS },
      ],
    },
  ];
  // Only Linux says it of another process.
  if (existsSync("/proc/self/status"))
    benches.push({
      title: "stint serve --control, its memory when it serves",
      unit: { kind: "bytes", per: "server" },
      contenders: () => [
        { name: "stint serve", run: weighed(serve) },
        { name: "node alone", run: weighed(() => NODE) },
        { name: "aim", amount: AIM_BYTES },
      ],
    });
  return benches;
}

function serve(folder: string): readonly string[] {
  const options = ["--clock", "virtual", "--control", "--until-stdin-closes", "--kubeconfig", join(folder, "config")];
  return [BUNDLE, "serve", ...options];
}
