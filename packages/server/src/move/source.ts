import { rmSync } from 'node:fs';
import { markTelemetry, migrateTelemetry } from '../platform/clickhouse/index.ts';
import { askOperator, NoServer } from '../platform/operator/index.ts';
import type { DatabaseConnection } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { markControl } from '../platform/postgres/move-mark.ts';
import { findReplicas } from '../platform/replicas/index.ts';
import { type Moved, movedFile, type StoreName, writeMoved } from '../store-copy/moved.ts';
import {
  type Addresses,
  openControlSide,
  openEmbeddedSide,
  openSide,
  refuseUnstoredLog,
  type Side,
  storesIn,
} from '../store-copy/sides.ts';
import { DATABASE } from '../store-copy/telemetry-store.ts';
import { version } from '../version.ts';
import { recordMove } from './audit.ts';
import type { MoveEntry } from './audit-rules.ts';
import type { MoveSource } from './switch.ts';

/** Where a move comes from. */
export interface Source {
  readonly side: Side;
  /** Whether a server runs on it, and ingests. */
  readonly isRunning: boolean;
  /** Resolves when nothing is written to the source any more, until `release` or `commit`. */
  hold(): Promise<Hold>;
  /** Writes to the audit log of the server whose stores these are. */
  record(entry: MoveEntry): Promise<void>;
  close(): Promise<void>;
}

export interface Hold {
  /** Aborted when the source may be written to again, for example because its server ended. */
  readonly lost: AbortSignal;
  /**
   * The switch: from now on, no server uses these stores. Resolves when a running server has ended.
   * @param entry for the audit log of a control plane that is not moved
   */
  commit(moved: Moved, entry: MoveEntry | undefined): Promise<void>;
  release(): Promise<void>;
}

/**
 * The embedded stores of a data directory, of a server that runs or does not.
 * @param stayingUrl the PostgreSQL that the server uses already
 */
export async function openEmbeddedSource(
  dataDir: string,
  stores: readonly StoreName[],
  stayingUrl: string | undefined,
): Promise<Source> {
  try {
    const request = { command: 'move-source', arguments: {} };
    return openRunning(dataDir, stores, (await askOperator(dataDir, request)) as MoveSource);
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    return openStopped(dataDir, stores, stayingUrl);
  }
}

function openRunning(dataDir: string, stores: readonly StoreName[], from: MoveSource): Source {
  if (from.version !== version)
    throw new Error(`the server runs version ${from.version} and this command is of ${version}: use the same`);
  for (const store of stores)
    if (from[store] === undefined) throw new Error(`the server's ${nameOf[store]} is not embedded`);
  const side = openSide({
    control: stores.includes('control') ? from.control : undefined,
    telemetry: stores.includes('telemetry') ? from.telemetry?.url : undefined,
  });
  return {
    side,
    isRunning: true,
    hold: () => holdServer(dataDir),
    async record(entry) {
      await askOperator(dataDir, { command: 'move-record', arguments: entry });
    },
    close: () => side.close(),
  };
}

/** Has the server hold back its writes as long as the connection is open. */
async function holdServer(dataDir: string): Promise<Hold> {
  const end = new AbortController();
  const lost = new AbortController();
  let held: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const request = { command: 'move-hold', arguments: {} };
    held = askOperator(dataDir, request, () => resolve(), end.signal).catch((error: unknown) => {
      lost.abort(new Error('the server ended before the move was complete; run it again', { cause: error }));
      reject(error);
    });
  });
  return {
    lost: lost.signal,
    async commit(moved, entry) {
      await askOperator(dataDir, { command: 'move-commit', arguments: { ...moved, entry } });
      await held;
    },
    async release() {
      end.abort();
      await held;
    },
  };
}

const nameOf: Readonly<Record<StoreName, string>> = { control: 'control plane', telemetry: 'telemetry store' };

async function openStopped(
  dataDir: string,
  stores: readonly StoreName[],
  stayingUrl: string | undefined,
): Promise<Source> {
  const missing = stores.filter((store) => !storesIn(dataDir).includes(store));
  if (missing.length > 0)
    throw new Error(`${dataDir} holds no embedded ${missing.map((store) => nameOf[store]).join(' and ')}`);
  if (stores.includes('telemetry')) refuseUnstoredLog(dataDir);
  const side = await openEmbeddedSide(dataDir, stores);
  const external =
    side.control === undefined && side.staying === undefined && stayingUrl !== undefined
      ? openControlSide({ url: stayingUrl })
      : undefined;
  const record = recorderOf(side.control ?? side.staying ?? external);
  return {
    side,
    isRunning: false,
    record,
    hold: async () =>
      quietHold(async (moved, entry) => {
        if (entry !== undefined) await record(entry);
        writeMoved(dataDir, moved);
      }),
    async close() {
      await external?.close();
      await side.close();
    },
  };
}

/** Writes to the audit log of a server that is stopped. */
function recorderOf(control: DatabaseConnection | undefined): Source['record'] {
  return async (entry) => {
    if (control === undefined)
      throw new Error('set DATABASE_URL, as the server has it: the move is recorded in the audit log there');
    await recordMove(control.db, entry);
  };
}

/**
 * PostgreSQL, ClickHouse, or both, whose servers are stopped.
 * @param dataDir the directory that the stores are moved into
 * @param target has the control plane if it is not moved
 */
export function openExternalSource(dataDir: string, addresses: Addresses, target: Side): Source {
  const side = openSide(addresses);
  const record = recorderOf(side.control ?? target.staying);
  return {
    side,
    isRunning: false,
    record,
    hold: async () => {
      await refuseLiveServers(side);
      return quietHold(async ({ id }, entry) => {
        if (entry !== undefined) await record(entry);
        await commitBack(side, dataDir, id);
      });
    },
    close: () => side.close(),
  };
}

/** The switch back. Can be repeated: a kill may have left a part of it. */
export async function commitBack({ control, telemetry }: Side, dataDir: string, id: string): Promise<void> {
  const mark = { id, state: 'moved' } as const;
  if (telemetry !== undefined) await markTelemetry(telemetry.clickhouse, mark);
  if (control !== undefined) await markControl(control.db, mark);
  rmSync(movedFile(dataDir), { force: true });
}

/** After this, a server that was killed counts as gone. */
const SILENT_SECONDS = 30;

async function refuseLiveServers({ control }: Side): Promise<void> {
  if (control === undefined) return;
  const live = (await findReplicas(control.db)).filter(({ silentSeconds }) => silentSeconds < SILENT_SECONDS);
  if (live.length > 0)
    throw new Error(
      `${live.length} servers use these stores (${live.map(({ id }) => id).join(', ')}): drain and stop them first; one that was killed counts for ${SILENT_SECONDS} s`,
    );
}

function quietHold(commit: Hold['commit']): Hold {
  return { lost: new AbortController().signal, commit, release: async () => {} };
}

/** Brings the schema of a source without a server to this version. */
export async function migrateSource({ side, isRunning }: Source): Promise<void> {
  if (isRunning) return;
  for (const control of [side.control, side.staying]) if (control !== undefined) await migrate(control.db);
  const url = side.addresses.telemetry;
  if (url !== undefined) await migrateTelemetry({ url, database: DATABASE });
}
