/** The report of a day is made by a Job: this starts it, and says what became of it. */
import type { BatchV1Api, V1Job } from "@kubernetes/client-node";

const NAMESPACE = "default";
/** A report that takes longer is of no use. */
const DEADLINE_SECONDS = 3600;

export type ReportState = "running" | "published" | "failed";

/** A second call for the same day does nothing. */
export async function startReport(batch: BatchV1Api, day: string): Promise<void> {
  const body: V1Job = {
    metadata: { name: `report-${day}` },
    spec: {
      backoffLimit: 2,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "report", image: "example.com/report:1", args: ["--day", day] }],
        },
      },
    },
  };
  try {
    await batch.createNamespacedJob({ namespace: NAMESPACE, body });
  } catch (error) {
    if ((error as { readonly code?: number }).code !== 409) throw error;
  }
}

export async function reportState(batch: BatchV1Api, day: string): Promise<ReportState> {
  const { status } = await batch.readNamespacedJob({ namespace: NAMESPACE, name: `report-${day}` });
  const has = (wanted: string): boolean =>
    status?.conditions?.some((condition) => condition.type === wanted && condition.status === "True") ?? false;
  if (has("Complete")) return "published";
  if (has("Failed")) return "failed";
  return "running";
}
