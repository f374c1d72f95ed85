/**
 * Runs the Jobs of a cluster that has no other Job controller, and prints each decision.
 *
 *     stint serve --no-controller
 *     npm install @stint-dev/stint && node controller.mjs stint.kubeconfig
 *     KUBECONFIG=stint.kubeconfig kubectl create -f examples/pi.yaml
 *
 * @stint-dev/stint is not published yet: `npm run pack` in a clone makes the tarball to install (docs/install.md).
 */
import { connect, JobController, loadEngineModule, RealClock, sourcesOf } from "@stint-dev/stint/node";

const clock = new RealClock();
const problem = (text) => console.error(text);
const connection = connect({ clock, kubeconfig: process.argv[2], environment: process.env, onProblem: problem });
const controller = await JobController.create({
  clock,
  engineModule: await loadEngineModule(),
  transport: connection.transport,
  random: Math.random,
  sources: sourcesOf({ namespaces: [], allPods: false, gangScheduling: false }),
  // Without `managedBy` these are the Jobs of the built-in controller, which must be off.
  configuration: { instance: crypto.randomUUID().slice(0, 8) },
  onDecisions: (decisions) => {
    for (const { namespace, job, message } of decisions) console.log(`${namespace}/${job}: ${message}`);
  },
  onProblem: problem,
  onFatal: (error) => {
    throw error;
  },
});
controller.start();

// Requests in flight finish first: the next run would find a pod whose creation was abandoned, but only later.
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    controller.stop(async () => {
      await connection.close();
      clock.stop();
    });
  });
