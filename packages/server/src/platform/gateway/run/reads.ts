import {
  type ClickHouse,
  type Columns,
  type ColumnType,
  nativeBlocks,
  type QueryLimits,
} from '../../clickhouse/index.ts';
import type { ReadRows } from '../../recent-points/index.ts';
import {
  fence,
  type HiddenPlaces,
  type ScopedTelemetry,
  type TelemetryScope,
  type TenantTable,
} from '../../scoped-telemetry.ts';
import type { Budget } from '../question.ts';
import { explainFailure } from './failures.ts';
import { createLanes, type Lane, type LaneLimits, type Lanes } from './lanes.ts';
import { whenThereIsRoom } from './room.ts';
import { createTimeLimit, type Timed } from './time-limit.ts';

export type ReadStore = Pick<ClickHouse, 'query' | 'queryRows' | 'open' | 'stream' | 'command'>;

export interface ReadsOptions {
  readonly clickhouse: ReadStore;
  /** Tables with tenants' rows; every statement is restricted to the tenant in each. */
  readonly tenantTables: readonly TenantTable[];
  /** Rows of removed places answer nobody, though they are stored for a while. */
  readonly hiddenPlaces: HiddenPlaces;
  readonly lanes: Readonly<Record<Lane, LaneLimits>>;
  /** Of a read, unless its budget sets others. */
  readonly limits: QueryLimits;
}

/** Reads in lanes, restricted to their scope and within limits. */
export interface Reads {
  readonly clickhouse: ReadStore;
  readonly limits: QueryLimits;
  readonly lanes: Lanes;
  readonly hiddenPlaces: HiddenPlaces;
  /** The settings that restrict every table to a scope. */
  fenced(scope: TelemetryScope): Promise<Record<string, string>>;
  /** Runs a read in its lane. It leaves the lane when it no longer runs in the store. Throws errors of the registry. */
  pass<T>(scope: TelemetryScope, budget: Budget, applied: QueryLimits, read: (timed: Timed) => Promise<T>): Promise<T>;
  lane(lane: Lane): ScopedTelemetry;
  readonly rowsAsBytes: ReadRows;
  readonly blocks: ReadBlocks;
}

/** The blocks of an answer, each as its columns of these types. */
export type Blocks<T extends readonly ColumnType[]> = Iterable<Columns<T>>;

/** Reads rows as columns of numbers or of lists of numbers. */
export type ReadBlocks = <const T extends readonly ColumnType[]>(
  types: T,
  scope: TelemetryScope,
  statement: string,
  params: Readonly<Record<string, unknown>>,
  budget: Budget,
) => Promise<Blocks<T>>;

export function createReads({
  clickhouse,
  tenantTables,
  hiddenPlaces,
  lanes: laneLimits,
  limits,
}: ReadsOptions): Reads {
  const fenced = async (scope: TelemetryScope) => fence(scope, tenantTables, await hiddenPlaces.of(scope.workspace));
  const lanes = createLanes(laneLimits);
  const inTime = createTimeLimit(clickhouse);

  const pass: Reads['pass'] = async (scope, { lane, signal }, applied, read) => {
    const leave = await lanes.enter(lane, scope.workspace, signal);
    let ended: Promise<void> | undefined;
    try {
      return await inTime(
        applied,
        signal,
        (timed) => whenThereIsRoom(() => read(timed), timed.signal),
        (ending) => {
          ended = ending;
        },
      );
    } catch (error) {
      // Nobody waits for it: an error of an aborted query is not a failure of the store.
      signal.throwIfAborted();
      throw explainFailure(error, applied);
    } finally {
      if (ended) void ended.then(leave);
      else leave();
    }
  };

  const lane = (lane: Lane): ScopedTelemetry => ({
    async rows<Row extends object>(
      scope: TelemetryScope,
      statement: string,
      params: Readonly<Record<string, unknown>>,
      signal: AbortSignal,
      more: { settings?: Readonly<Record<string, string | number>>; limits?: Partial<QueryLimits> } = {},
    ): Promise<Row[]> {
      const applied = { ...limits, ...more.limits };
      return pass(scope, { lane, signal }, applied, async ({ signal, queryId }) =>
        clickhouse.queryRows<Row>(statement, {
          params: { ...scope, ...params },
          settings: { ...more.settings, ...(await fenced(scope)) },
          limits: applied,
          signal,
          queryId: queryId(),
        }),
      );
    },
  });

  /** In a binary format, as chunks that end anywhere. */
  const chunks = (
    format: 'RowBinary' | 'Native',
    scope: TelemetryScope,
    statement: string,
    params: Readonly<Record<string, unknown>>,
    budget: Budget,
  ): Promise<Buffer[]> => {
    const applied = { ...limits, ...budget.limits };
    return pass(scope, budget, applied, async ({ signal, queryId }) => {
      const options = { params: { ...scope, ...params }, settings: await fenced(scope), limits: applied, signal };
      const { stream } = await clickhouse.open(statement, { ...options, queryId: queryId() }, format);
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return chunks;
    });
  };

  const blocks: ReadBlocks = async (types, ...read) => nativeBlocks(await chunks('Native', ...read), types);

  const rowsAsBytes: ReadRows = async (scope, statement, params, { signal, maxResultRows }) => {
    const budget = {
      lane: 'background',
      signal,
      limits: { maxResultRows, maxResultBytes: 256 * maxResultRows },
    } as const;
    // A buffer from Node's pool shares its memory with others and cannot be transferred.
    return new Uint8Array(Buffer.concat(await chunks('RowBinary', scope, statement, params, budget)));
  };

  return { clickhouse, limits, lanes, hiddenPlaces, fenced, pass, lane, rowsAsBytes, blocks };
}
