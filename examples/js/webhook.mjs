/**
 * An admission webhook for Jobs: refuses what upstream's rules refuse, and Jobs without a deadline; warns of everything
 * else that lint finds, and of Jobs that may make many pods.
 *
 *     npm install @stint-dev/stint && node webhook.mjs tls.crt tls.key 8443
 *
 * An API server calls it by https://…/validate and https://…/mutate; deploy/webhook has the manifests.
 *
 * @stint-dev/stint is not published yet: `npm run pack` in a clone makes the tarball to install (docs/install.md).
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { fileURLToPath } from "node:url";
import { Engine, LintCode, MAX_REVIEW_BYTES } from "@stint-dev/stint";

const MANY_PODS = 100;
const module = new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve("@stint-dev/stint/engine.wasm"))));
let engine = Engine.createSync(module);

function judge({ kind, operation, object: job }, { warnings = [], ...response }) {
  if (kind.kind !== "Job" || operation !== "CREATE") return { ...response, warnings };
  const { advice } = engine.lint({ job, rules: { [LintCode.NoDeadline]: "deny" } }, Date.now());
  const { value, by } = engine.forecast({ job }, Date.now()).pods.most;
  const told = ({ field, sentence, fix }) => `${field}: ${sentence}; ${fix}`;
  const all = [...warnings, ...advice.filter(({ severity }) => severity === "warn").map(told)];
  if (value === null) all.push(`forecast: no limit of pods, because of ${by}`);
  else if (value > MANY_PODS) all.push(`forecast: up to ${value} pods`);
  const denial = advice.find(({ severity }) => severity === "deny");
  if (denial === undefined) return { ...response, warnings: all };
  return { uid: response.uid, allowed: false, warnings: all, status: { message: told(denial), code: 403 } };
}

function answer(phase, body) {
  const review = JSON.parse(engine.review(body));
  const { patch, patchType, ...response } = review.response;
  // The mutating phase refuses nothing; an answer of the validating one has no patch.
  const mutated = { uid: response.uid, allowed: true, ...(patch && { patch, patchType }) };
  const judged = () => (response.allowed ? judge(JSON.parse(body).request, response) : response);
  return JSON.stringify({ ...review, response: phase === "/mutate" ? mutated : judged() });
}

const [certificate, key, port] = process.argv.slice(2);
const pair = { cert: readFileSync(certificate), key: readFileSync(key), requestTimeout: 30_000 };
const server = createServer(pair, async (request, response) => {
  try {
    const chunks = [];
    let size = 0;
    for await (const chunk of request) {
      if ((size += chunk.length) > MAX_REVIEW_BYTES) throw new Error(`more than ${MAX_REVIEW_BYTES} bytes`);
      chunks.push(chunk);
    }
    const { pathname } = new URL(request.url, "https://localhost");
    response.setHeader("content-type", "application/json").end(answer(pathname, Buffer.concat(chunks)));
  } catch (error) {
    if (error.code === -1) engine = Engine.createSync(module); // It has trapped.
    response.writeHead(400).end(error.message);
  }
});
server.listen(Number(port), () => console.log(`https://127.0.0.1:${server.address().port}`));
