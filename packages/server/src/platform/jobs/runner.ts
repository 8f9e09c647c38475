import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { Registry } from '../own-metrics.ts';
import type { Database } from '../postgres/database.ts';
import { countRuns, type JobKind, type RunParts, runJob } from './run-job.ts';
import { claimJobs, ensureRecurring, findOtherKinds } from './store.ts';

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
  const parts: RunParts = { db, clock, log, leaseMs, random, isClockTrusted, counted };
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
      const ended = runJob(parts, job, kind, controller).finally(() => running.delete(ended));
      running.set(ended, controller);
      return [ended.then((isMore) => isFull || isMore)];
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
