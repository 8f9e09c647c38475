import { type Compiled, decodeRow, type ResultColumn, type ResultValue } from '@fanion/oql';
import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import { fence, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import { boundParameters } from './bound-parameters.ts';
import { explainFailure, queryLimits } from './limits.ts';

/** A stream lasts as long as its reader takes; how long a reader may pause is the answer's matter. */
const streamSeconds = 600;

/** An answer whose rows come as the store finds them. */
export interface StreamedResult {
  readonly columns: readonly ResultColumn[];
  readonly from: string;
  readonly to: string;
  readonly batches: AsyncGenerator<ResultValue[][], void, undefined>;
  /** Rows given so far, and whether there are more than were asked for. */
  readonly told: { readonly rows: number; readonly truncated: boolean };
  /** Ends the query, wherever it stands. */
  close(): void;
}

/**
 * Begins to stream a query's rows, at most `limit` of them. Throws until there is a first row or none; later the iteration
 * throws.
 * @param leave called when the store is done with it, and perhaps once more
 */
export async function startStream(
  clickhouse: Pick<ClickHouse, 'stream'>,
  query: Compiled & { readonly window: Window },
  { place, limit, signal, leave }: { place: TelemetryScope; limit: number; signal: AbortSignal; leave: () => void },
): Promise<StreamedResult> {
  const ended = new AbortController();
  const rows = clickhouse.stream(query.sql, {
    params: boundParameters(query.params),
    settings: { ...query.settings, ...fence(place) },
    limits: { ...queryLimits, maxSeconds: streamSeconds, maxResultRows: limit + 1 },
    signal: AbortSignal.any([signal, ended.signal]),
  });
  const close = () => {
    ended.abort();
    leave();
  };
  const first = await rows.next().catch((error: unknown) => {
    close();
    return explainFailure(error);
  });
  const told = { rows: 0, truncated: false };
  const taken = (batch: unknown[][]): ResultValue[][] => {
    const kept = batch.slice(0, limit - told.rows);
    told.rows += kept.length;
    told.truncated ||= batch.length > kept.length;
    return kept.map((row) => decodeRow(query.columns, row));
  };
  async function* batches() {
    try {
      if (!first.done) yield taken(first.value);
      for await (const batch of rows) yield taken(batch);
    } finally {
      close();
    }
  }
  const { fromNs, toNs } = query.window;
  return { columns: query.columns, from: formatNs(fromNs), to: formatNs(toNs), batches: batches(), told, close };
}
