import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { messageOf } from '../message-of.ts';
import { Counter, Gauge, type Registry } from '../own-metrics.ts';
import type { Database, Executor } from '../postgres/database.ts';
import { backoffMs, nextTickMs } from './rules.ts';
import { type ClaimedJob, finishJob, prolongLease, returnJob } from './store.ts';

/** Another replica has taken the job; nothing of this run may take effect. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(job: string, epoch: number) {
    super(`the lease ${epoch} of the job ${job} was lost: another replica runs it`);
  }
}

/** The clock of this server differs from the control plane's: times that it would write are wrong. */
class ClockNotTrusted extends Error {
  override readonly name = 'ClockNotTrusted';
  constructor(job: string) {
    super(`the job ${job} was given up: the clock of this server is wrong`);
  }
}

/** One run of a job, and its only ways to the control plane. */
export interface JobRun {
  readonly name: string;
  readonly payload: unknown;
  /**
   * When it was due, which also names its time bucket. The run itself may be later, if the replicas were busy or down.
   */
  readonly scheduledFor: Date;
  readonly epoch: number;
  /** Aborted when the server stops or the lease is lost. */
  readonly signal: AbortSignal;
  now(): number;
  /** Commits effects only while this run holds the lease, for work in steps. Throws `LeaseLost`. */
  commit<T>(effects: (trx: Executor) => Promise<T>): Promise<T>;
  /**
   * Commits the last effects together with the end of the run, so that they happen exactly once. With `again`, a
   * one-time job is run once more. Throws `LeaseLost`. A run that does not call it ends without effects.
   */
  finish(effects?: (trx: Executor) => Promise<void>, options?: { again?: Date }): Promise<void>;
}

export interface JobKind {
  readonly kind: string;
  /**
   * Interval of a recurring job, one for all replicas, in milliseconds on the grid of the epoch. Without it, jobs are
   * enqueued.
   */
  readonly everyMs?: number;
  readonly run: (run: JobRun) => Promise<void>;
}

export interface RunParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly leaseMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly isClockTrusted: () => boolean;
  readonly counted: ReturnType<typeof countRuns>;
}

/**
 * Runs a claimed job to its end, and prolongs its lease meanwhile.
 * @returns whether it may have made a job due: itself again, or one that its effects enqueued
 */
export async function runJob(
  parts: RunParts,
  job: ClaimedJob,
  kind: JobKind,
  controller: AbortController,
): Promise<boolean> {
  const { clock, leaseMs, counted } = parts;
  const renewal = setInterval(() => renew(parts, job, controller), leaseMs / 3);
  const did = { finished: false, more: false };
  const run = runOf(parts, job, controller.signal, did);
  counted.begins(job.kind, (clock.now() - job.scheduledFor.getTime()) / 1_000);
  try {
    await kind.run(run);
    if (!did.finished) await run.finish();
    counted.ended(job.kind, 'finished');
  } catch (error) {
    await giveBack(parts, job, error, controller.signal, did.finished);
  } finally {
    clearInterval(renewal);
  }
  return did.more;
}

function renew({ db, clock, log, leaseMs, isClockTrusted }: RunParts, job: ClaimedJob, controller: AbortController) {
  if (!isClockTrusted()) {
    controller.abort(new ClockNotTrusted(job.name));
    return;
  }
  prolongLease(db, job, new Date(clock.now() + leaseMs))
    .then((ours) => ours || controller.abort(new LeaseLost(job.name, job.epoch)))
    // The lease may expire meanwhile; the epoch decides, not this timer.
    .catch((error: unknown) => log.warn({ err: error, job: job.name }, 'could not prolong the lease of a job'));
}

/** @param did what the run did so far */
function runOf(
  { db, clock, leaseMs, isClockTrusted }: RunParts,
  job: ClaimedJob,
  signal: AbortSignal,
  did: { finished: boolean; more: boolean },
): JobRun {
  const requireClock = () => {
    if (!isClockTrusted()) throw new ClockNotTrusted(job.name);
  };
  const requireLease = (isOurs: boolean) => {
    if (!isOurs) throw new LeaseLost(job.name, job.epoch);
  };
  return {
    name: job.name,
    payload: job.payload,
    scheduledFor: job.scheduledFor,
    epoch: job.epoch,
    signal,
    now: () => clock.now(),
    commit(effects) {
      did.more = true;
      return db.transaction().execute(async (trx) => {
        requireClock();
        requireLease(await prolongLease(trx, job, new Date(clock.now() + leaseMs)));
        return effects(trx);
      });
    },
    async finish(effects, { again } = {}) {
      const now = new Date(clock.now());
      const nextRunAt = again ?? (job.everyMs === null ? null : new Date(nextTickMs(job.everyMs, now.getTime())));
      const end = async (executor: Executor) => {
        requireClock();
        requireLease(await finishJob(executor, job, { nextRunAt, now }));
      };
      if (effects === undefined) await end(db);
      else
        await db.transaction().execute(async (trx) => {
          // First, since it locks the row: nobody can take over the lease before the commit.
          await end(trx);
          await effects(trx);
        });
      did.finished = true;
      if (effects !== undefined || again !== undefined) did.more = true;
    },
  };
}

async function giveBack(
  { db, clock, log, random, counted }: RunParts,
  job: ClaimedJob,
  error: unknown,
  signal: AbortSignal,
  finished: boolean,
): Promise<void> {
  if (error instanceof LeaseLost || signal.reason instanceof LeaseLost) {
    counted.ended(job.kind, 'taken over');
    log.warn({ job: job.name, epoch: job.epoch }, 'a job was taken over by another replica; nothing was committed');
    return;
  }
  // Returning it would set a wrong time for its next run, so its lease is left to expire.
  if (error instanceof ClockNotTrusted || signal.reason instanceof ClockNotTrusted) {
    counted.ended(job.kind, 'stopped');
    log.warn({ job: job.name }, 'a job was given up: the clock of this server is wrong');
    return;
  }
  if (finished) {
    log.error({ err: error, job: job.name }, 'a job failed after it had finished');
    return;
  }
  const aborted = signal.aborted;
  const failures = aborted ? job.failures : job.failures + 1;
  counted.ended(job.kind, aborted ? 'stopped' : 'failed');
  if (!aborted) log.error({ err: error, job: job.name, failures }, 'a job failed; it will be tried again');
  const delay = aborted ? 0 : backoffMs(failures, random());
  await returnJob(db, job, {
    nextRunAt: new Date(clock.now() + delay),
    failures,
    error: aborted ? null : messageOf(error).slice(0, 1000),
  }).catch((cause: unknown) => {
    // Its lease expires by itself, and then the job is due again.
    log.warn({ err: cause, job: job.name }, 'could not give a job back');
  });
}

export function countRuns(registry: Registry) {
  const runs = new Counter({
    name: 'fanion_job_runs_total',
    help: 'Runs of jobs that ended on this server: finished, failed, taken over by another server, or stopped with this one',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  const lateness = new Gauge({
    name: 'fanion_job_lateness_seconds',
    help: 'How long after it was due the last run on this server began',
    labelNames: ['kind'],
    registers: [registry],
  });
  return {
    begins: (kind: string, seconds: number) => lateness.set({ kind }, Math.max(0, seconds)),
    ended: (kind: string, outcome: 'finished' | 'failed' | 'taken over' | 'stopped') => runs.inc({ kind, outcome }),
  };
}
