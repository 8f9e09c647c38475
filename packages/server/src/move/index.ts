/**
 * Moves the stores of a server: from its data directory to PostgreSQL and ClickHouse while it runs, or back. The command copies in its own
 * process, over the stores' protocols; the server only tells where its stores are, and holds back writes at the end (`switch.ts`).
 *
 * Telemetry is copied part by part (`telemetry.ts`): parts never change, so what is new since the last round is known by name. The
 * control plane is copied at the end, in one transaction (`control.ts`). docs/decisions/0144 explains why.
 */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMoved, type StoreName } from '../store-copy/moved.ts';
import { probeStores } from '../store-copy/probe.ts';
import { openEmbeddedSide, openSide, refuseUnstoredLog, type Side, storesIn } from '../store-copy/sides.ts';
import { checkTarget, finishTarget, prepareTarget, readMarks } from '../store-copy/target.ts';
import { setMerges } from '../store-copy/telemetry-content-store.ts';
import {
  countChanges,
  listTelemetryTables,
  type TelemetrySide,
  type TelemetryTable,
} from '../store-copy/telemetry-store.ts';
import { recordMove } from './audit.ts';
import type { MoveEntry } from './audit-rules.ts';
import { moveControl } from './control.ts';
import { createJournal, type Journal, journalId, openJournal } from './journal.ts';
import type { MoveDone, MoveRequest, OnMove } from './request.ts';
import { commitBack, type Hold, migrateSource, openEmbeddedSource, openExternalSource, type Source } from './source.ts';
import { settleChanges, TelemetryCopy } from './telemetry.ts';
import { type Entries, entriesOf, recordingFailure } from './trail.ts';

export type { MoveDone, MoveRequest } from './request.ts';

interface Switched extends Pick<MoveDone, 'telemetryRows' | 'controlRows'> {
  /** By `performance.now()`. */
  readonly pausedSince: number;
}

interface Move {
  readonly source: Source;
  readonly target: Side;
  readonly journal: Journal;
  readonly stores: readonly StoreName[];
  readonly entry: Entries;
  readonly tell: OnMove;
}

/** Moves stores. After a kill, the same call continues. @throws Error that says what to do */
export async function moveStores(request: MoveRequest, tell: OnMove): Promise<MoveDone> {
  const stores = (['control', 'telemetry'] as const).filter((store) => addressOf(request, store) !== undefined);
  tell('checking');
  await probeStores({ database: request.databaseUrl, clickhouse: request.clickhouseUrl });
  const completed = await completeEarlier(request, stores);
  if (completed !== undefined) return completed;
  const opened: { close(): Promise<void> }[] = [];
  try {
    const { source, target } = await openSides(request, stores, opened);
    const file = join(request.dataDir, 'move.jsonl');
    const known = journalId(file);
    const marks = await readMarks(target);
    await checkTarget(target, marks, ({ id, state }) => id === known && state === 'unfinished');
    await migrateSource(source);
    const mayContinue = known !== undefined && [marks.control, marks.telemetry].some((mark) => mark?.id === known);
    const journal =
      mayContinue && (marks.telemetry !== undefined || !stores.includes('telemetry'))
        ? openJournal(file, known)
        : createJournal(file, randomUUID());
    const entry = entriesOf(request, stores, journal.id);
    await source.record(entry('move.start'));
    const switched = await recordingFailure({ source, request, entry }, async () => {
      await prepareTarget(target, { id: journal.id, state: 'unfinished' });
      return move({ source, target, journal, stores, entry, tell });
    });
    await finishTarget(target);
    journal.remove();
    const { telemetryRows, controlRows, pausedSince } = switched;
    return { outcome: 'moved', stores, telemetryRows, controlRows, pausedMs: performance.now() - pausedSince };
  } finally {
    for (const side of opened.reverse()) await side.close();
  }
}

function addressOf({ databaseUrl, clickhouseUrl }: MoveRequest, store: StoreName): string | undefined {
  return store === 'control' ? databaseUrl : clickhouseUrl;
}

async function openSides(
  request: MoveRequest,
  stores: readonly StoreName[],
  opened: { close(): Promise<void> }[],
): Promise<{ source: Source; target: Side }> {
  const { dataDir } = request;
  const addresses = externalAddresses(request);
  if (request.to === 'external') {
    const target = openSide(addresses);
    opened.push(target);
    const source = await openEmbeddedSource(dataDir, stores, request.stayingDatabaseUrl);
    opened.push(source);
    return { source, target };
  }
  const inTheWay = storesIn(dataDir).filter((store) => stores.includes(store));
  if (inTheWay.length > 0 && !existsSync(join(dataDir, 'move.jsonl')))
    throw new Error(
      `the target is not empty: move ${inTheWay.map((store) => join(dataDir, store)).join(' and ')} out of the way first`,
    );
  const target = await openEmbeddedSide(dataDir, stores);
  opened.push(target);
  const source = openExternalSource(dataDir, addresses, target);
  opened.push(source);
  if (stores.includes('telemetry')) refuseUnstoredLog(dataDir);
  return { source, target };
}

function externalAddresses({ databaseUrl, clickhouseUrl }: MoveRequest) {
  return { control: databaseUrl === undefined ? undefined : { url: databaseUrl }, telemetry: clickhouseUrl };
}

/** Finishes a move that made the switch and was killed then. */
async function completeEarlier(request: MoveRequest, stores: readonly StoreName[]): Promise<MoveDone | undefined> {
  const external = openSide(externalAddresses(request));
  try {
    const marks = await readMarks(external);
    const file = join(request.dataDir, 'move.jsonl');
    const known = journalId(file);
    const done: MoveDone = { outcome: 'completed', stores, telemetryRows: 0, controlRows: 0, pausedMs: 0 };
    if (request.to === 'external') {
      const moved = readMoved(request.dataDir);
      const away = stores.filter((store) => moved?.stores.includes(store));
      if (moved === undefined || away.length === 0) return undefined;
      if (known !== moved.id) throw new Error(`the data of ${request.dataDir} was moved already, at ${moved.at}`);
      await finishTarget(external);
      openJournal(file, known).remove();
      return done;
    }
    const mark = marks.telemetry ?? marks.control;
    if (mark === undefined || mark.state !== 'moved' || mark.id !== known) return undefined;
    await commitBack(external, request.dataDir, known);
    const embedded = await openEmbeddedSide(request.dataDir, stores);
    try {
      await finishTarget(embedded);
    } finally {
      await embedded.close();
    }
    openJournal(file, known).remove();
    return done;
  } finally {
    await external.close();
  }
}

/** Rounds with merges stopped until there is little left for the pause. */
const MOST_ROUNDS = 5;
const LITTLE_MS = 2_000;

async function move({ source, target, journal, stores, entry, tell }: Move): Promise<Switched> {
  const abort = new AbortController();
  const telemetry = await telemetryOf({ source, target, journal, tell }, abort.signal);
  let isSwitched = false;
  try {
    const hold = await copyAndHold(source, telemetry, tell, abort.signal);
    hold.lost.throwIfAborted();
    hold.lost.addEventListener('abort', () => abort.abort(hold.lost.reason), { once: true });
    const pausedSince = performance.now();
    let controlRows = 0;
    try {
      if (telemetry !== undefined) await copyRest(telemetry, tell);
      const complete = (controlRows: number) =>
        entry('move.complete', { telemetry_rows: telemetry?.copy.rows() ?? 0, control_rows: controlRows });
      const commit = async (ending: MoveEntry | undefined) => {
        tell('switching');
        hold.lost.throwIfAborted();
        await hold.commit({ id: journal.id, at: entry('move.complete').at, stores: [...stores] }, ending);
        isSwitched = true;
      };
      const control = { from: source.side.control, to: target.control };
      if (control.from === undefined || control.to === undefined) await commit(complete(0));
      else {
        tell('copying accounts and flags');
        controlRows = await moveControl(
          { from: control.from, to: control.to },
          () => commit(undefined),
          // With the copy, so that it is there even if the command is killed after the switch.
          (target, rows) => recordMove(target, complete(rows)),
        );
      }
    } finally {
      await hold.release();
    }
    return { telemetryRows: telemetry?.copy.rows() ?? 0, controlRows, pausedSince };
  } finally {
    if (telemetry !== undefined && !isSwitched)
      await setMerges(telemetry.from, telemetry.tables, 'START').catch(() => {
        // The source is gone; its merges go on when it starts.
      });
  }
}

/** A deletion that begins while merges are stopped waits until they run again. */
const MOST_PAUSES = 3;

/** Copies while the source is written to, and begins a pause in which no rows are being deleted. */
async function copyAndHold(
  source: Source,
  telemetry: TelemetryMove | undefined,
  tell: OnMove,
  signal: AbortSignal,
): Promise<Hold> {
  for (let pause = 1; ; pause++) {
    if (telemetry !== undefined) await copyWhileWritten(telemetry, tell, signal);
    tell('pausing');
    const hold = await source.hold();
    let isQuiet = false;
    try {
      isQuiet = telemetry === undefined || (await countChanges(telemetry.from)) === 0;
    } finally {
      if (!isQuiet) await hold.release();
    }
    if (isQuiet || telemetry === undefined) return hold;
    if (pause === MOST_PAUSES) throw new Error('rows are being deleted, again and again; run fanion move again later');
    await setMerges(telemetry.from, telemetry.tables, 'START');
  }
}

interface TelemetryMove {
  readonly from: TelemetrySide;
  readonly tables: readonly TelemetryTable[];
  readonly copy: TelemetryCopy;
}

/** Undefined: telemetry is not moved. */
async function telemetryOf(
  { source, target, journal, tell }: Pick<Move, 'source' | 'target' | 'journal' | 'tell'>,
  signal: AbortSignal,
): Promise<TelemetryMove | undefined> {
  const from = source.side.telemetry;
  const to = target.telemetry;
  if (from === undefined || to === undefined) return undefined;
  const tables = await listTelemetryTables(from);
  const onRows = (done: number, total: number) => tell('copying', { done, total });
  return { from, tables, copy: new TelemetryCopy({ from, to, tables, journal, signal, onRows }) };
}

/** Copies and compares all but what arrives meanwhile. */
async function copyWhileWritten({ from, tables, copy }: TelemetryMove, tell: OnMove, signal: AbortSignal) {
  tell('copying');
  // The long one. Merges go on meanwhile, or the source would have ever more parts.
  await copy.copy();
  await settleChanges(from, signal);
  await setMerges(from, tables, 'STOP');
  await catchUp(copy);
  tell('comparing');
  await copy.compare();
  await catchUp(copy);
}

async function catchUp(copy: TelemetryCopy): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const began = performance.now();
    await copy.copy();
    if (performance.now() - began < LITTLE_MS) return;
  }
}

/** In the pause: copies what arrived since, and compares all that has changed. */
async function copyRest({ copy }: TelemetryMove, tell: OnMove): Promise<void> {
  await copy.copy();
  tell('comparing');
  if ((await copy.compare()).length === 0) return;
  await copy.copy();
  const differing = await copy.compare();
  if (differing.length > 0)
    throw new Error(`source and target differ after the copy, in ${differing.slice(0, 5).join(', ')}`);
}
