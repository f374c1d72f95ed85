/**
 * The paragraph of a forecast. Invariant: one paragraph at a time, because the engine answers one question at a time.
 */
import { NEVER_MS } from "../trace/sentence";
import { begin, quoteText, say, sayCount, sayNumber, sayPods, saySpan, spoken } from "../verdict/words";
import { Writer } from "../json/writer";
import { Amount } from "./amount";
import { leastPods, mostPods, peakPods } from "./counts";
import { End } from "./end";
import { Plan } from "./plan";
import { Retries } from "./retries";

/** What was found out about a Job. */
export class Facts {
  plan: Plan;
  leastPods: Amount;
  mostPods: Amount;
  peak: Amount;
  retries: Retries;
  end: End;

  constructor(plan: Plan) {
    this.plan = plan;
    const most = mostPods(plan);
    this.leastPods = leastPods(plan);
    this.mostPods = most;
    this.peak = peakPods(plan, most);
    this.retries = new Retries(plan);
    this.end = new End(plan, most);
  }
}

/** Writes the paragraph. It holds until the next sentence begins. */
export function describe(facts: Facts): Writer {
  const plan = facts.plan;
  begin();
  if (plan.isSuspended) say("It is suspended; after its resumption: ");
  sayCounts(facts);
  sayRetries(facts);
  sayEnd(facts);
  if (!isNaN(plan.ttlMs)) saySpan(" It is deleted ", plan.ttlMs, " later.");
  if (plan.manager.length > 0) {
    say(" ");
    quoteText(plan.manager);
    say(" runs it: all this holds if that controller keeps Kubernetes' rules.");
  }
  return spoken();
}

function sayCounts(facts: Facts): void {
  const least = facts.leastPods.value;
  const most = facts.mostPods;
  if (!most.isKnown) {
    sayNumber(i64(least), " pods or more: there is no limit, because of ");
    quoteText(most.by);
  } else if (least == most.value) {
    sayPods(i64(least));
  } else if (facts.retries.givesUpMs > NEVER_MS) {
    // The number is right, but longer than any Job can run.
    sayPods(i64(least));
    say(" or more: no limit of retries is reached in 100 years");
  } else {
    sayNumber(i64(least), " to ");
    sayPods(i64(most.value));
  }
  if (facts.plan.width > 1) sayCount(i64(facts.plan.width), " at once");
  say(".");
}

function sayRetries(facts: Facts): void {
  const retries = facts.retries;
  if (isNaN(retries.givesUpMs)) {
    if (facts.plan.completions > 0) say(" It never ends: spec.parallelism is 0.");
    return;
  }
  if (retries.givesUpMs > NEVER_MS) {
    say(facts.plan.restartsContainers ? " If every container" : " If every pod");
    say(" fails, it goes on for more than 100 years, because of ");
    quoteText(retries.by);
    say(".");
    return;
  }
  if (facts.plan.restartsContainers) say(" If every container fails: ");
  else say(" If every pod fails: ");
  sayPods(i64(retries.pods));
  saySpan(", gives up after ", retries.givesUpMs, "");
  say(" (");
  quoteText(retries.by);
  say(").");
}

function sayEnd(facts: Facts): void {
  const earliest = facts.end.earliest;
  const latest = facts.end.latest;
  if (facts.plan.width == 0) return;
  if (latest.value > NEVER_MS) {
    saySpan(" It ends after ", earliest.value, " at the earliest, and nothing ends it within 100 years.");
  } else if (earliest.isKnown && latest.isKnown) {
    saySpan(" It ends after ", earliest.value, "");
    saySpan(" to ", latest.value, ".");
  } else if (latest.isKnown) {
    saySpan(" It ends within ", latest.value, ".");
  } else {
    say(" When it ends is not known without ");
    quoteText(latest.by);
    say(".");
  }
}
