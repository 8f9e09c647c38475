import { randomUUID } from 'node:crypto';
import type { ClickHouse, QueryLimits } from '../../clickhouse/index.ts';
import { fail } from '../../fail.ts';

/** The store may end a read a little after its limit, with an error of its own. */
const graceMs = 500;
/** How long to wait for what the store says about a read that ran too long. */
const patienceMs = 1_000;
/** How long a read that was told to end may take up its place in a lane. */
const endingMs = 60_000;

/** The embedded store gives statements ids of its own, and keeps those of its clients as comments. */
const isOwn = "(startsWith(query_id, {id:String}) OR startsWith(Settings['log_comment'], {id:String}))";

/** A read was ended at its limit of time. */
export class RanTooLong extends Error {}

/** What a read sends with its statements, so that it can be ended. */
export interface Timed {
  readonly signal: AbortSignal;
  /** A new id for each statement. */
  readonly queryId: () => string;
}

/**
 * Ends reads at their limit of time. The engine looks at its clock between blocks, so a statement that computes for long within one, as many
 * quantiles do, would run on: it took 33 to 49 s with a limit of 30 s.
 * @param ending gets a promise that resolves when the statement no longer runs in the store
 */
export function createTimeLimit(clickhouse: Pick<ClickHouse, 'query' | 'command'>) {
  async function progressOf(id: string): Promise<string> {
    const { rows } = await clickhouse.query(`SELECT toFloat64(sum(read_rows)) FROM system.processes WHERE ${isOwn}`, {
      params: { id },
      signal: AbortSignal.timeout(patienceMs),
    });
    return ` and had read ${Number(rows[0]?.[0] ?? 0)} rows by then`;
  }

  return async function inTime<T>(
    { maxSeconds }: QueryLimits,
    signal: AbortSignal,
    read: (timed: Timed) => Promise<T>,
    ending: (ended: Promise<void>) => void,
  ): Promise<T> {
    const id = randomUUID();
    const over = new AbortController();
    let statements = 0;
    const timer = setTimeout(() => over.abort(new RanTooLong()), maxSeconds * 1000 + graceMs);
    try {
      return await read({
        signal: AbortSignal.any([signal, over.signal]),
        queryId: () => `${id}-${statements++}`,
      });
    } catch (error) {
      if (!over.signal.aborted || signal.aborted) throw error;
      const progress = await progressOf(id).catch(() => '');
      const killed = clickhouse.command(`KILL QUERY WHERE ${isOwn} SYNC`, {
        params: { id },
        signal: AbortSignal.timeout(endingMs),
      });
      // If the store does not answer, its next reads report that.
      ending(killed.catch(() => {}));
      const reason = `it ran longer than ${maxSeconds} s${progress}; narrow the time window, add a condition, or compute less`;
      throw fail('QUERY_TOO_EXPENSIVE', { reason }, { cause: over.signal.reason });
    } finally {
      clearTimeout(timer);
    }
  };
}
