/**
 * Every kind of request with its turn, in the order in which they are handed out. A new kind is a file in this folder
 * and a line here. Where several kinds share a turn, a kind is asked only when those before it have nothing to ask for.
 */
import {
  PHASE_CLAIM,
  PHASE_CREATE,
  PHASE_DELETE,
  PHASE_FINALIZERS,
  PHASE_FIRST_WRITE,
  PHASE_GANG,
  PHASE_LIST,
  PHASE_READ_AGAIN,
  PHASE_RECHECK,
  PHASE_REMOVE,
  PHASE_SECOND_WRITE,
} from "../model/sync";
import { AdoptPod } from "./adopt-pod";
import { CreatePod } from "./create-pod";
import { DeletePod } from "./delete-pod";
import { EnsureGangObject } from "./ensure-gang-object";
import { ListPods } from "./list-pods";
import { ReadExpiredJob } from "./read-expired-job";
import { RecheckJob } from "./recheck-job";
import { ReleasePod } from "./release-pod";
import { RemoveFinalizer } from "./remove-finalizer";
import { RemoveJob } from "./remove-job";
import { RemoveOrphanFinalizer } from "./remove-orphan-finalizer";
import { SendEvent } from "./send-event";
import { AFTER_JOBS, BEFORE_JOBS, Step } from "./step";
import { StripVictim } from "./strip-victim";
import { WriteStatus } from "./write-status";

export const STEPS: StaticArray<Step> = [
  new SendEvent(BEFORE_JOBS),
  new ListPods(PHASE_LIST),
  new RecheckJob(PHASE_RECHECK),
  new AdoptPod(PHASE_CLAIM),
  new ReleasePod(PHASE_CLAIM),
  new EnsureGangObject(PHASE_GANG),
  new CreatePod(PHASE_CREATE),
  new DeletePod(PHASE_DELETE),
  new StripVictim(PHASE_DELETE),
  new WriteStatus(PHASE_FIRST_WRITE),
  new RemoveFinalizer(PHASE_FINALIZERS),
  new WriteStatus(PHASE_SECOND_WRITE),
  new ReadExpiredJob(PHASE_READ_AGAIN),
  new RemoveJob(PHASE_REMOVE),
  new RemoveOrphanFinalizer(AFTER_JOBS),
  new SendEvent(AFTER_JOBS),
];
