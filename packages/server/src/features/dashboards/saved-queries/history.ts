import type { QueryLanguage } from '@fanion/contract';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { keptMs, keptRuns, outcomeOf, storable } from './rules.ts';
import { insertRuns, pruneRuns, type QueryRunRow } from './runs-store.ts';

/** Who runs which query, and where. */
export interface QueryRunFact {
  readonly workspace: WorkspaceRef;
  readonly narrowed: { readonly project: ProjectRef | undefined; readonly environment: string | undefined };
  readonly caller: UserCaller;
  readonly query: string;
  /** Undefined: another one, such as LogQL. */
  readonly query_language?: QueryLanguage;
  readonly signal: AbortSignal;
}

interface RunAnswer {
  readonly data: { readonly rows: { readonly length: number } };
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface QueryHistory {
  /** Runs a query and records the run. Recording never delays or fails the query. */
  observe<T extends RunAnswer>(fact: QueryRunFact, run: () => Promise<T>): Promise<T>;
  /** Resolves when all recorded runs are written to the control plane, or have failed to be. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const flushEveryMs = 1_000;
/**
 * Runs that wait while the control plane is down; beyond this the oldest are dropped. A query is at most 64 KiB, most
 * are 100 bytes.
 */
const maxWaiting = 2_000;
const batchRows = 200;

export function createQueryHistory({ db, clock, log }: { db: Database; clock: Clock; log: Log }): QueryHistory {
  let waiting: QueryRunRow[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function keep(row: QueryRunRow): void {
    waiting.push(row);
    if (waiting.length > maxWaiting) {
      dropped += waiting.length - maxWaiting;
      waiting = waiting.slice(-maxWaiting);
    }
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchRows);
      try {
        await insertRuns(db, batch);
      } catch (error) {
        log.warn({ err: error, waiting: waiting.length, dropped }, 'runs of queries could not be written down');
        timer ??= setTimeout(() => void flush(), flushEveryMs * 10).unref();
        return;
      }
      const written = new Set(batch);
      waiting = waiting.filter((row) => !written.has(row));
    }
  }

  return {
    observe: (fact, run) => observed(clock, keep, fact, run),
    flush,
    async stop() {
      await flush();
      clearTimeout(timer);
    },
  };
}

async function observed<T extends RunAnswer>(
  clock: Clock,
  keep: (row: QueryRunRow) => void,
  fact: QueryRunFact,
  run: () => Promise<T>,
): Promise<T> {
  const began = clock.now();
  let answer: RunAnswer | undefined;
  let thrown: unknown;
  let failed = false;
  try {
    const done = await run();
    answer = done;
    return done;
  } catch (error) {
    failed = true;
    thrown = error;
    throw error;
  } finally {
    const failure = thrown instanceof Failure ? thrown : undefined;
    keep({
      ...rowOf(fact, began, clock.now() - began),
      ...outcomeOf(failure, failed, fact.signal.aborted),
      ...costOf(answer),
    });
  }
}

function rowOf({ workspace, narrowed, caller, query, query_language }: QueryRunFact, began: number, tookMs: number) {
  return {
    id: newId(began),
    workspace_id: workspace.id,
    project_id: narrowed.project?.id ?? null,
    environment: narrowed.environment === undefined ? null : storable(narrowed.environment),
    user_id: caller.user.id,
    user_name: caller.user.name,
    token_id: caller.kind === 'token' ? caller.tokenId : null,
    token_name: caller.kind === 'token' ? caller.tokenName : null,
    at: new Date(began),
    query: storable(query),
    query_language: query_language ?? null,
    took_ms: Math.round(tookMs),
  };
}

function costOf(answer: RunAnswer | undefined) {
  const { rows_read, bytes_read, truncated, from, to } = answer?.meta ?? {};
  const whole = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? Number(value) || 0 : 0);
  return {
    rows_read: whole(rows_read),
    bytes_read: whole(bytes_read),
    result_rows: answer?.data.rows.length ?? 0,
    truncated: truncated === true,
    window_from: typeof from === 'string' ? new Date(from) : null,
    window_to: typeof to === 'string' ? new Date(to) : null,
  };
}

/** Deletes runs beyond the limits of the history. */
export function queryHistoryPruneJob(db: Database, clock: Clock): JobKind {
  return {
    kind: 'query_history.prune',
    everyMs: 5 * 60_000,
    async run(run) {
      await pruneRuns(db, new Date(dateOf(clock).getTime() - keptMs), keptRuns);
      await run.finish();
    },
  };
}
