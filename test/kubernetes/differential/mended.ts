/**
 * Short sequences of requests that our server once answered otherwise than the real one. Their answers are recorded, so
 * `npm test` asks them without a real server (test/cluster/apiserver/mended.test.ts).
 */
import type { Json } from "../../../cluster/index.ts";
import type { Ask } from "./ask.ts";
import type { Sequence } from "./play.ts";

const MAPS = "/api/v1/namespaces/<ns>/configmaps";
const post = (path: string, body: Json): Ask => ({ method: "POST", path, body });
const patch =
  (type: string) =>
  (path: string, body: Json): Ask => ({ method: "PATCH", path, body, type: `application/${type}-patch+json` });
const [merge, strategic, json] = [patch("merge"), patch("strategic-merge"), patch("json")];

export const MENDED: readonly Sequence[] = [
  {
    name: "methods that no resource has",
    asks: [
      post(MAPS, { metadata: { name: "a" } }),
      { method: "OPTIONS", path: MAPS },
      { method: "HEAD", path: `${MAPS}/a` },
      { method: "HEAD", path: `${MAPS}/a/status` },
      { method: "TRACE", path: `${MAPS}/a` },
    ],
  },
];
