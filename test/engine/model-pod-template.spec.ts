/**
 * The pods that a template makes, byte for byte. What of it is right for Kubernetes is in docs/spec/controller.md
 * section 5.
 */
import "./engine-first";
import * as reader from "../../assembly/json/reader";
import { Writer } from "../../assembly/json/writer";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { addJob, Job, removeJob } from "../../assembly/model/job";
import { acquireName } from "../../assembly/memory/names";
import { preparePodTemplate } from "../../assembly/model/pod-template";
import { blobOfText, textAt } from "./support";

const out = new Writer();
const OWNER =
  '"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true,"blockOwnerDeletion":true}]';
const TRACKING = '"batch.kubernetes.io/job-tracking"';
const VARIABLE =
  '{"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels[\'batch.kubernetes.io/job-completion-index\']"}}}';
const LABEL = '"batch.kubernetes.io/job-completion-index"';

function jobOf(name: string, template: string, indexed: bool): Job {
  const namespace = blobOfText("default");
  const job = addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("u"));
  job.spec.indexed = indexed;
  job.template = blobOfText(template);
  return job;
}

/** The pod of this template, or what is wrong with it. */
function rendered(template: string, index: i32, name: string = "j"): string {
  const job = jobOf(name, template, index >= 0);
  const prepared = preparePodTemplate(job);
  if (prepared === null) {
    removeJob(job);
    return "not a template";
  }
  out.reset();
  prepared.write(out, job, index, 0, 0);
  prepared.free();
  removeJob(job);
  reader.open(out.start, out.length);
  reader.skipValue();
  return reader.atEnd() ? textAt(out.start, out.length) : "not JSON";
}

function withoutLabels(template: string, indexed: bool): bool {
  const job = jobOf("j", template, indexed);
  const prepared = preparePodTemplate(job)!;
  const result = prepared.withoutLabels;
  prepared.free();
  removeJob(job);
  return result;
}

describe("a pod of a Job that is not Indexed", () => {
  it("has the template's labels, annotations and spec unchanged", () => {
    const spec = '"containers":[{"name":"c","env":[]}],"hostname":"h","x":{"y":[1, 2]}';
    expect(
      rendered(
        '{"metadata":{"labels":{"a":"1","b":"2"},"annotations":{"n":"x\\"y"},"creationTimestamp":null},"spec":{' +
          spec +
          "}}",
        -1,
      ),
    ).toBe(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"j-","labels":{"a":"1","b":"2"},"annotations":{"n":"x\\"y"},' +
        OWNER +
        ',"finalizers":[' +
        TRACKING +
        ']},"spec":{' +
        spec +
        "}}",
    );
  });

  it("can do without all of them", () => {
    const empty =
      '{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"j-","labels":{},"annotations":{},' +
      OWNER +
      ',"finalizers":[' +
      TRACKING +
      ']},"spec":{}}';
    expect(rendered("{}", -1)).toBe(empty);
    expect(rendered('{"metadata":null,"spec":null}', -1)).toBe(empty);
    expect(rendered('{"metadata":{"labels":null,"annotations":null,"finalizers":null}}', -1)).toBe(empty);
    expect(rendered('{"spec":{"containers":null}}', -1)).toBe(empty.replace('"spec":{}', '"spec":{"containers":null}'));
  });

  it("keeps other finalizers, and has its own once", () => {
    expect(
      rendered('{"metadata":{"finalizers":["a/b",' + TRACKING + ',"c/d"]}}', -1).includes(
        '"finalizers":["a/b","c/d",' + TRACKING + "]",
      ),
    ).toBe(true);
  });

  it("has no failures of an index, though its Job got a limit for them meanwhile", () => {
    const job = jobOf("j", "{}", false);
    const prepared = preparePodTemplate(job)!;
    out.reset();
    prepared.write(out, job, -1, 0, 0);
    const before = textAt(out.start, out.length);
    job.spec.backoffLimitPerIndex = 1;
    out.reset();
    prepared.write(out, job, -1, 0, 0);
    expect(textAt(out.start, out.length)).toBe(before);
    prepared.free();
    removeJob(job);
  });

  it("escapes names that need it", () => {
    expect(rendered("{}", -1, 'q"').includes('"generateName":"q\\"-"')).toBe(true);
  });
});

describe("a pod of an Indexed Job", () => {
  it("carries its index as label, annotation, variable and hostname", () => {
    expect(rendered('{"metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"c"}]}}', 12)).toBe(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"j-12-","labels":{"a":"1",' +
        LABEL +
        ':"12"},"annotations":{' +
        LABEL +
        ':"12"},' +
        OWNER +
        ',"finalizers":[' +
        TRACKING +
        ']},"spec":{"containers":[{"name":"c","env":[' +
        VARIABLE +
        ']}],"hostname":"j-12"}}',
    );
  });

  it("has a hostname alone where the spec has nothing", () => {
    expect(rendered("{}", 0).endsWith('"spec":{"hostname":"j-0"}}')).toBe(true);
  });

  it("replaces an index and a hostname that the template brings", () => {
    const pod = rendered(
      '{"metadata":{"labels":{' +
        LABEL +
        ':"9","a":"1"},"annotations":{' +
        LABEL +
        ':"9"}},"spec":{"hostname":"h","restartPolicy":"Never"}}',
      3,
    );
    expect(pod.includes('"labels":{"a":"1",' + LABEL + ':"3"},"annotations":{' + LABEL + ':"3"}')).toBe(true);
    expect(pod.endsWith('"spec":{"restartPolicy":"Never","hostname":"j-3"}}')).toBe(true);
  });

  it("adds the variable behind others, in every container, unless the container defines that name", () => {
    const own = '{"name":"JOB_COMPLETION_INDEX","value":"mine"}';
    const pod = rendered(
      '{"spec":{"initContainers":[{"env":null}],"containers":[{"env":[{"name":"A"}],"z":1},{"env":[' + own + "]},{}]}}",
      1,
    );
    expect(pod.includes('"initContainers":[{"env":[' + VARIABLE + "]}]")).toBe(true);
    expect(
      pod.includes(
        '"containers":[{"env":[{"name":"A"},' + VARIABLE + '],"z":1},{"env":[' + own + ']},{"env":[' + VARIABLE + "]}]",
      ),
    ).toBe(true);
  });

  it("has a name prefix of at most 58 bytes", () => {
    const long = "n".repeat(63);
    expect(rendered("{}", 7, long).includes('"generateName":"' + "n".repeat(55) + '-7-"')).toBe(true);
    expect(rendered("{}", 100000, long).includes('"generateName":"' + "n".repeat(50) + '-100000-"')).toBe(true);
  });
});

describe("a template", () => {
  it("says when it has no label, which only an index makes up for", () => {
    expect(withoutLabels('{"metadata":{"labels":{}}}', false)).toBe(true);
    expect(withoutLabels('{"metadata":{"labels":{}}}', true)).toBe(false);
    expect(withoutLabels('{"metadata":{"labels":{"a":""}}}', false)).toBe(false);
  });

  it("that cannot be read makes no pod", () => {
    expect(rendered("[]", -1)).toBe("not a template");
    expect(rendered('{"metadata":{"labels":[]}}', -1)).toBe("not a template");
    expect(rendered('{"spec":{"containers":[1]}}', 0)).toBe("not a template");
    expect(rendered('{"spec":{"a":', -1)).toBe("not a template");
  });
});
