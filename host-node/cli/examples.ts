/** What `stint --help` shows of the commands, beside their list. */
export const EXAMPLES = `
Examples:
  stint run examples/pi.yaml
      run a Job's commands as local processes, inside bubblewrap
  stint run --no-isolation job.yaml
      the same without bubblewrap, with your full permissions
  stint run --runtime simulated examples/*.yaml
      run nothing: simulate, in virtual time, as fast as possible
  cat job.yaml | stint run -
      read standard input
  stint serve
      a Kubernetes API on loopback for kubectl
  stint why hello
      why a Job of any cluster is where it is, and what comes next
  stint forecast job.yaml --pod-duration 5m..20m
      what a Job will do: pods, retries, when it ends
  stint wait hello
      wait until a Job of any cluster has really ended, and say how
  stint lint manifests/
      what is wrong with Jobs before they run
  stint doctor
      what is wrong with the Jobs of a cluster, and the commands that fix it
  stint upgrade-check --from 1.34 --to 1.37 manifests/
      which Jobs behave differently after an upgrade of Kubernetes
  stint incident
      Jobs that people had trouble with: play one, guess why, see what helps
  claude mcp add stint -- stint mcp
      let an agent ask why, wait and lint; nothing is changed
  stint controller
      run Jobs of a real cluster, beside its own controller or instead of it
  stint webhook --cert tls.crt --key tls.key
      review Jobs of a real cluster before they are stored
  stint run --record r.jsonl job.yaml
      record the engine's input; stint replay r.jsonl plays it again
`;
