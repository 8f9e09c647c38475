import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { Registry } from '../own-metrics.ts';
import { Poller } from '../poller.ts';
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

/**
 * Runs due jobs, once over all replicas that share a control plane. A run has a lease with an epoch. If it pauses for
 * longer than the lease, another replica runs the job again, and commits of the first are rejected because its epoch is
 * stale. Clocks only decide when a lease may be taken over, never whether an effect counts.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #concurrency: number;
  readonly #parts: RunParts;
  readonly #kinds: Map<string, JobKind>;
  readonly #running = new Map<Promise<unknown>, AbortController>();
  readonly #poller: Poller;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    const { db, clock, log, random = Math.random, isClockTrusted = () => true, leaseMs = 60_000 } = options;
    const counted = countRuns(options.metrics ?? new Registry());
    this.#parts = { db, clock, log, leaseMs, random, isClockTrusted, counted };
    this.#concurrency = options.concurrency ?? 4;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
    const { pollMs = 1_000 } = options;
    this.#poller = new Poller({
      look: async () => {
        for (const ended of await this.#claim()) ended.then((isMore) => isMore && this.wake());
        return pollMs;
      },
      onError: (error) => log.warn({ err: error }, 'could not look for due jobs'),
      retryMs: pollMs,
    });
  }

  /** Polls now, after a job was enqueued. */
  wake(): void {
    this.#poller.wake();
  }

  /** Registers the recurring jobs and starts polling for due ones. */
  async start(): Promise<void> {
    const { db, clock, log } = this.#options;
    for (const { kind, everyMs } of this.#kinds.values())
      if (everyMs !== undefined) await ensureRecurring(db, { kind, everyMs, now: new Date(clock.now()) });
    // Normal while servers of two versions run side by side; otherwise these jobs wait forever.
    const others = this.#kinds.size === 0 ? [] : await findOtherKinds(db, [...this.#kinds.keys()]);
    if (others.length > 0) log.warn({ kinds: others }, 'jobs wait of kinds that this server does not know');
    this.wake();
  }

  /** Runs all due jobs to their end and returns the number of runs. `start` does this by itself. */
  async runDue(): Promise<number> {
    let count = 0;
    for (;;) {
      const started = await this.#claim();
      if (started.length === 0) return count;
      count += started.length;
      await Promise.all(started);
    }
  }

  /** Takes no more jobs, aborts the signals of running ones, and waits for them. */
  async stop(): Promise<void> {
    const looked = this.#poller.stop();
    for (const controller of this.#running.values()) controller.abort();
    await looked;
    let deadline: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      deadline = setTimeout(resolve, this.#options.stopMs ?? 10_000);
    });
    await Promise.race([Promise.all(this.#running.keys()), late]);
    clearTimeout(deadline);
  }

  /** Starts due jobs. Each resolves when it has ended, to whether there may be another one that is due. */
  async #claim(): Promise<Promise<boolean>[]> {
    const { clock, db, leaseMs, isClockTrusted } = this.#parts;
    const { holder } = this.#options;
    const limit = this.#concurrency - this.#running.size;
    if (this.#poller.isStopped || limit <= 0 || this.#kinds.size === 0 || !isClockTrusted()) return [];
    const now = new Date(clock.now());
    const jobs = await claimJobs(db, { kinds: [...this.#kinds.keys()], holder, limit, now, leaseMs });
    // The limit may have left jobs over.
    const isFull = jobs.length === limit;
    return jobs.flatMap((job) => {
      const kind = this.#kinds.get(job.kind);
      if (kind === undefined) return [];
      const controller = new AbortController();
      if (this.#poller.isStopped) controller.abort();
      const ended = runJob(this.#parts, job, kind, controller).finally(() => this.#running.delete(ended));
      this.#running.set(ended, controller);
      return [ended.then((isMore) => isFull || isMore)];
    });
  }
}
