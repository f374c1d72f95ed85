/**
 * Every document that a command prints as JSON. scripts/output-schema.ts makes schema.json of these types and their
 * comments, and nothing else reads this file.
 */
import type { Account } from "../../../bindings/js/engine.ts";
import type { DoctorReport } from "../doctor/report.ts";
import type { CodeExplanation, CodeList } from "../explain/explain-code.ts";
import type { ForecastReport } from "../forecast/document.ts";
import type { ImportReport } from "../import/document.ts";
import type { IncidentList, IncidentReport, IncidentServing } from "../incident/document.ts";
import type { LintReport } from "../lint/document.ts";
import type { RunLine } from "../output/run-lines.ts";
import type { FlightReport, ReplayReport } from "../replay/document.ts";
import type { UpgradeReport } from "../upgrade-check/document.ts";
import type { VersionReport } from "../version/document.ts";
import type { JobWait, WaitReport } from "../wait/document.ts";
import type { CronJobAccount } from "../why/cron-job.ts";
import type { DivergenceReport } from "../why/divergences.ts";
import type { JobAccount } from "../why/job-document.ts";
import type { JobSetAccount } from "../why/job-set.ts";
import type { NotFound } from "../why/not-found.ts";
import type { PodAccount } from "../why/pod.ts";
import type { ErrorReport } from "./error-report.ts";

/** What the engine says of a Job, which the parts of the documents are taken from, and what every command may print. */
export interface Common {
  readonly account: Account;
  readonly error: ErrorReport;
}

/** By command, in the order of its help. */
export interface Documents {
  readonly run: RunLine;
  readonly replay: ReplayReport | FlightReport;
  readonly import: ImportReport;
  readonly why: JobAccount | CronJobAccount | PodAccount | JobSetAccount | NotFound | DivergenceReport;
  readonly explain: CodeExplanation | CodeList;
  readonly wait: JobWait;
  readonly lint: LintReport;
  readonly doctor: DoctorReport;
  readonly "upgrade-check": UpgradeReport;
  readonly forecast: ForecastReport;
  readonly incident: IncidentList | IncidentReport | IncidentServing;
  readonly version: VersionReport;
  /** What no command prints: its tool `wait` answers with all Jobs at once. */
  readonly mcp: WaitReport;
}
