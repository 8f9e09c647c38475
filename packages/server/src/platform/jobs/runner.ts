import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { messageOf } from '../message-of.ts';
import { Counter, Gauge, Registry } from '../own-metrics.ts';
import type { Database, Executor } from '../postgres/database.ts';
import { backoffMs, nextTickMs } from './rules.ts';
import {
  type ClaimedJob,
  claimJobs,
  ensureRecurring,
  findOtherKinds,
  finishJob,
  prolongLease,
  returnJob,
} from './store.ts';

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

export interface JobRunnerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The holder of the leases, for people who read the table. */
  readonly holder: string;
  readonly kinds: readonly JobKind[];
  /** @default 60_000 */
  readonly leaseMs?: number;
  /** @default 1_000 */
  readonly pollMs?: number;
  /** @default 4 */
  readonly concurrency?: number;
  /** How long `stop` waits for runs that ignore their signal. @default 10_000 */
  readonly stopMs?: number;
  readonly random?: () => number;
  /** Without it, no job is taken or finished. @default always */
  readonly isClockTrusted?: () => boolean;
  /** Gets the runner's own metrics. */
  readonly metrics?: Registry;
}

export interface JobRunner {
  /** Registers the recurring jobs and starts polling for due ones. */
  start(): Promise<void>;
  /** Polls now, after a job was enqueued. */
  wake(): void;
  /** Runs all due jobs to their end and returns the number of runs. `start` does this by itself. */
  runDue(): Promise<number>;
  /** Takes no more jobs, aborts the signals of running ones, and waits for them. */
  stop(): Promise<void>;
}

/**
 * Runs due jobs, once over all replicas that share a control plane. A run has a lease with an epoch. If it pauses for
 * longer than the lease, another replica runs the job again, and commits of the first are rejected because its epoch is
 * stale. Clocks only decide when a lease may be taken over, never whether an effect counts.
 */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, log, holder, random = Math.random, isClockTrusted = () => true } = options;
  const leaseMs = options.leaseMs ?? 60_000;
  const pollMs = options.pollMs ?? 1_000;
  const concurrency = options.concurrency ?? 4;
  const counted = countRuns(options.metrics ?? new Registry());
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const running = new Map<Promise<unknown>, AbortController>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<unknown> | undefined;
  let lookAgain = false;
  let stopped = false;

  /** Starts due jobs. Each resolves when it has ended, to whether there may be another one that is due. */
  async function claim(): Promise<Promise<boolean>[]> {
    const limit = concurrency - running.size;
    if (stopped || limit <= 0 || kinds.size === 0 || !isClockTrusted()) return [];
    const now = new Date(clock.now());
    const jobs = await claimJobs(db, { kinds: [...kinds.keys()], holder, limit, now, leaseMs });
    // The limit may have left jobs over.
    const isFull = jobs.length === limit;
    return jobs.flatMap((job) => {
      const kind = kinds.get(job.kind);
      if (kind === undefined) return [];
      const controller = new AbortController();
      if (stopped) controller.abort();
      const ended = runOne(job, kind, controller).finally(() => running.delete(ended));
      running.set(ended, controller);
      return [ended.then(({ isAgain }) => isFull || isAgain)];
    });
  }

  async function runOne(job: ClaimedJob, kind: JobKind, controller: AbortController): Promise<{ isAgain: boolean }> {
    const lost = () => new LeaseLost(job.name, job.epoch);
    const until = () => new Date(clock.now() + leaseMs);
    const requireClock = () => {
      if (!isClockTrusted()) throw new ClockNotTrusted(job.name);
    };
    const renewal = setInterval(() => {
      if (!isClockTrusted()) {
        controller.abort(new ClockNotTrusted(job.name));
        return;
      }
      prolongLease(db, job, until())
        .then((ours) => ours || controller.abort(lost()))
        // The lease may expire meanwhile; the epoch decides, not this timer.
        .catch((error: unknown) => log.warn({ err: error, job: job.name }, 'could not prolong the lease of a job'));
    }, leaseMs / 3);
    let finished = false;
    let isAgain = false;
    const run: JobRun = {
      name: job.name,
      payload: job.payload,
      scheduledFor: job.scheduledFor,
      epoch: job.epoch,
      signal: controller.signal,
      now: () => clock.now(),
      commit: (effects) =>
        db.transaction().execute(async (trx) => {
          requireClock();
          if (!(await prolongLease(trx, job, until()))) throw lost();
          return effects(trx);
        }),
      async finish(effects, { again } = {}) {
        const now = new Date(clock.now());
        const nextRunAt = again ?? (job.everyMs === null ? null : new Date(nextTickMs(job.everyMs, now.getTime())));
        const end = async (executor: Executor) => {
          requireClock();
          if (!(await finishJob(executor, job, { nextRunAt, now }))) throw lost();
        };
        if (effects === undefined) await end(db);
        else
          await db.transaction().execute(async (trx) => {
            // First, since it locks the row: nobody can take over the lease before the commit.
            await end(trx);
            await effects(trx);
          });
        finished = true;
        isAgain = again !== undefined;
      },
    };
    counted.begins(job.kind, (clock.now() - job.scheduledFor.getTime()) / 1_000);
    try {
      await kind.run(run);
      if (!finished) await run.finish();
      counted.ended(job.kind, 'finished');
    } catch (error) {
      await giveBack(job, error, controller.signal, finished);
    } finally {
      clearInterval(renewal);
    }
    return { isAgain };
  }

  async function giveBack(job: ClaimedJob, error: unknown, signal: AbortSignal, finished: boolean): Promise<void> {
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

  /** One poll at a time; a wake-up during a poll starts another one after it. */
  function look(): void {
    if (stopped) return;
    if (looking !== undefined) {
      lookAgain = true;
      return;
    }
    clearTimeout(timer);
    looking = claim()
      .then((started) => {
        for (const ended of started) ended.then((isMore) => isMore && look());
      })
      .catch((error: unknown) => log.warn({ err: error }, 'could not look for due jobs'))
      .finally(() => {
        looking = undefined;
        if (stopped) return;
        if (lookAgain) {
          lookAgain = false;
          look();
        } else timer = setTimeout(look, pollMs);
      });
  }

  return {
    async start() {
      for (const { kind, everyMs } of kinds.values())
        if (everyMs !== undefined) await ensureRecurring(db, { kind, everyMs, now: new Date(clock.now()) });
      // Normal while servers of two versions run side by side; otherwise these jobs wait forever.
      const others = kinds.size === 0 ? [] : await findOtherKinds(db, [...kinds.keys()]);
      if (others.length > 0) log.warn({ kinds: others }, 'jobs wait of kinds that this server does not know');
      look();
    },
    wake: look,
    async runDue() {
      let count = 0;
      for (;;) {
        const started = await claim();
        if (started.length === 0) return count;
        count += started.length;
        await Promise.all(started);
      }
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      for (const controller of running.values()) controller.abort();
      await looking;
      let deadline: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        deadline = setTimeout(resolve, options.stopMs ?? 10_000);
      });
      await Promise.race([Promise.all(running.keys()), late]);
      clearTimeout(deadline);
    },
  };
}

function countRuns(registry: Registry) {
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
