import { sql } from 'kysely';
import type { Database, Executor } from '../postgres/database.ts';

export interface ClaimedJob {
  readonly name: string;
  readonly kind: string;
  readonly payload: unknown;
  /** Milliseconds; null for a job that runs once. */
  readonly everyMs: number | null;
  readonly scheduledFor: Date;
  readonly epoch: number;
  /** Consecutive failures before this run. */
  readonly failures: number;
}

export interface NewJob {
  readonly kind: string;
  /** Unique among waiting jobs; a second one of the same name is not created. */
  readonly name: string;
  readonly payload: unknown;
  readonly runAt: Date;
}

/** Enqueues a one-time job, in the transaction that makes it necessary. */
export async function enqueueJob(db: Executor, job: NewJob): Promise<void> {
  await db
    .insertInto('jobs')
    .values({
      name: job.name,
      kind: job.kind,
      payload: JSON.stringify(job.payload),
      every_ms: null,
      next_run_at: job.runAt,
      lease_until: null,
      holder: null,
      last_error: null,
      last_run_at: null,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Ensures that a recurring job exists, once for all replicas, with this interval. */
export async function ensureRecurring(
  db: Executor,
  { kind, everyMs, now }: { kind: string; everyMs: number; now: Date },
): Promise<void> {
  await db
    .insertInto('jobs')
    .values({
      name: kind,
      kind,
      payload: 'null',
      every_ms: everyMs,
      next_run_at: now,
      lease_until: null,
      holder: null,
      last_error: null,
      last_run_at: null,
    })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ every_ms: everyMs }).where('jobs.every_ms', 'is distinct from', everyMs),
    )
    .execute();
}

export interface LateJob {
  readonly name: string;
  readonly lateMs: number;
  /** Consecutive failures. */
  readonly failures: number;
  /** Of the last run; null: it did not fail. */
  readonly error: string | null;
}

/** Jobs that should have begun before and that nobody runs, and jobs that fail; the latest first. */
export async function findLateJobs(
  db: Executor,
  { now, lateAfterMs, limit }: { now: Date; lateAfterMs: number; limit: number },
): Promise<LateJob[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['name', 'next_run_at', 'failures', 'last_error'])
    .where((eb) =>
      eb.or([
        eb('failures', '>', 0),
        eb.and([
          eb('next_run_at', '<', new Date(now.getTime() - lateAfterMs)),
          eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]),
        ]),
      ]),
    )
    .orderBy('next_run_at')
    .limit(limit)
    .execute();
  return rows.map(({ name, next_run_at, failures, last_error }) => ({
    name,
    lateMs: Math.max(0, now.getTime() - next_run_at.getTime()),
    failures,
    error: last_error,
  }));
}

/** Kinds of waiting jobs that are not among these. */
export async function findOtherKinds(db: Database, kinds: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('jobs').select('kind').distinct().where('kind', 'not in', kinds).execute();
  return rows.map(({ kind }) => kind);
}

/**
 * Claims due jobs that nobody holds. Two simultaneous claims never get the same job: each skips rows that the other has
 * locked, and sees the leases that the other has committed.
 */
export async function claimJobs(
  db: Database,
  {
    kinds,
    holder,
    limit,
    now,
    leaseMs,
  }: { kinds: readonly string[]; holder: string; limit: number; now: Date; leaseMs: number },
): Promise<ClaimedJob[]> {
  // Materialised: PostgreSQL may run a plain sub-query again for each row and so take more than `limit`.
  const { rows } = await sql<ClaimedJob>`
    WITH due AS MATERIALIZED (
      SELECT name FROM jobs
      WHERE kind = ANY(${kinds}) AND next_run_at <= ${now} AND (lease_until IS NULL OR lease_until <= ${now})
      ORDER BY next_run_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE jobs SET lease_until = ${new Date(now.getTime() + leaseMs)}, lease_epoch = nextval('job_epochs'), holder = ${holder}
    FROM due WHERE jobs.name = due.name
    RETURNING jobs.name, jobs.kind, jobs.payload, jobs.every_ms AS "everyMs", jobs.next_run_at AS "scheduledFor",
      jobs.lease_epoch AS epoch, jobs.failures`.execute(db);
  return rows;
}

interface Held {
  readonly name: string;
  readonly epoch: number;
}

/** Prolongs the lease if this run still holds it; its row then stays locked until the transaction ends. */
export async function prolongLease(db: Executor, { name, epoch }: Held, until: Date): Promise<boolean> {
  const row = await db
    .updateTable('jobs')
    .set({ lease_until: until })
    .where('name', '=', name)
    .where('lease_epoch', '=', epoch)
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a successful run: the next one is at `nextRunAt`, or there is none. False: the lease was lost. */
export async function finishJob(
  db: Executor,
  { name, epoch }: Held,
  { nextRunAt, now }: { nextRunAt: Date | null; now: Date },
): Promise<boolean> {
  const row =
    nextRunAt === null
      ? await db
          .deleteFrom('jobs')
          .where('name', '=', name)
          .where('lease_epoch', '=', epoch)
          .returning('name')
          .executeTakeFirst()
      : await db
          .updateTable('jobs')
          .set({
            next_run_at: nextRunAt,
            lease_until: null,
            holder: null,
            failures: 0,
            last_error: null,
            last_run_at: now,
          })
          .where('name', '=', name)
          .where('lease_epoch', '=', epoch)
          .returning('name')
          .executeTakeFirst();
  return row !== undefined;
}

/** Ends a failed or aborted run; does nothing if the lease was lost. */
export async function returnJob(
  db: Executor,
  { name, epoch }: Held,
  { nextRunAt, failures, error }: { nextRunAt: Date; failures: number; error: string | null },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ next_run_at: nextRunAt, lease_until: null, holder: null, failures, last_error: error })
    .where('name', '=', name)
    .where('lease_epoch', '=', epoch)
    .execute();
}
