import { type Arrivals, automaticOffsetMs, settledToMs } from '../../../platform/arrivals/index.ts';
import type { JobKind, JobRun } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { TelemetryWriter } from '../../../platform/telemetry-writer.ts';
import { readsOfRule } from '../../telemetry/promql/index.ts';
import { type CountedSlo, insertMinutes, listMinutes, type Minute, type Range } from '../budget/index.ts';
import { failureText, isPassing } from '../failures.ts';
import { type CountParts, countIndicator } from './counts-store.ts';
import { changedMinutes, dayBefore, dueRange, stepOf } from './indicator-rules.ts';
import { listBackfills, listByIds, listWaiting, type SloRow, saveBackfill, saveDerived } from './store.ts';

/** SLOs whose minutes are inserted together. */
const batchSize = 32;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 20_000;

export interface DeriveDependencies extends CountParts {
  readonly db: Database;
  readonly clickhouse: TelemetryWriter;
  readonly arrivals: Pick<Arrivals, 'refresh' | 'lateMs' | 'storedTo'>;
  readonly log: Log;
}

/** Counts what has happened since the last run, and again the last 15 minutes, for data that came late. */
export function deriveJob(dependencies: DeriveDependencies): JobKind {
  return {
    kind: 'slos.derive',
    everyMs: 30_000,
    async run(run) {
      await deriveDue(dependencies, run);
      await run.finish();
    },
  };
}

/** Counts the past of new and changed SLOs day by day, the latest day first. Each day is kept, so an interrupted run continues. */
export function backfillJob(dependencies: DeriveDependencies): JobKind {
  return {
    kind: 'slos.backfill',
    everyMs: 5_000,
    async run(run) {
      await backfillDue(dependencies, run);
      await run.finish();
    },
  };
}

export async function deriveDue(dependencies: DeriveDependencies, run: JobRun): Promise<void> {
  const { db, clickhouse, log, arrivals } = dependencies;
  const began = run.now();
  await arrivals.refresh();
  const waiting = await listWaiting(db);
  for (let at = 0; at < waiting.length && run.now() - began <= budgetMs; at += batchSize) {
    const slos = await listByIds(db, waiting.slice(at, at + batchSize));
    const rows: (Minute & { slo: CountedSlo })[] = [];
    const reached: { slo: SloRow; derived: { to: Date } | { error: string } }[] = [];
    for (const slo of slos) {
      const now = run.now();
      const range = dueRange(slo.definition.indicator, slo.derived_to.getTime(), {
        nowMs: now,
        settledMs: settledMsOf(arrivals, slo, now),
      });
      if (range === undefined) continue;
      try {
        for (const minute of await recount(dependencies, slo, range, run.signal))
          rows.push({ ...minute, slo: countedSlo(slo) });
        reached.push({ slo, derived: { to: new Date(Math.min(range.toMs, now)) } });
      } catch (error) {
        run.signal.throwIfAborted();
        log.warn({ err: error, slo: slo.id }, 'the events of an SLO could not be counted');
        reached.push({ slo, derived: { error: failureText(error) } });
      }
    }
    await insertMinutes(clickhouse, rows, run.epoch, run.signal);
    if (reached.length > 0)
      await run.commit(async (trx) => {
        for (const { slo, derived } of reached) await saveDerived(trx, slo, derived);
      });
  }
}

export async function backfillDue(dependencies: DeriveDependencies, run: JobRun): Promise<void> {
  const { db, clickhouse, log } = dependencies;
  const began = run.now();
  for (;;) {
    const slos = await listBackfills(db, batchSize);
    // A day of each in turn, so that a long one does not hold up the others.
    for (const slo of slos) {
      if (run.now() - began > budgetMs) return;
      const day = dayBefore(slo.backfill_at.getTime(), slo.backfill_from.getTime());
      const counted = countedSlo(slo);
      let minutes: readonly Minute[];
      try {
        minutes = await recount(dependencies, slo, day, run.signal);
      } catch (error) {
        if (run.signal.aborted || isPassing(error)) throw error;
        log.warn({ err: error, slo: slo.id }, 'the past of an SLO could not be counted');
        await run.commit((trx) => saveBackfill(trx, slo, { error: failureText(error) }));
        continue;
      }
      const rows = minutes.map((minute) => ({ ...minute, slo: counted }));
      await insertMinutes(clickhouse, rows, run.epoch, run.signal);
      await run.commit((trx) => saveBackfill(trx, slo, { at: new Date(day.fromMs) }));
    }
    if (slos.length === 0) return;
  }
}

/** Up to when the telemetry of slices has been received and can be queried. Events are counted as far as they have come. */
function settledMsOf(arrivals: DeriveDependencies['arrivals'], slo: SloRow, nowMs: number): number {
  const { indicator } = slo.definition;
  if (indicator.kind !== 'slices') return nowMs;
  const { signals } = readsOfRule(indicator);
  const place = { workspace: slo.workspace_number, project: slo.project_number };
  const lateMs = arrivals.lateMs(place.project, signals);
  const offsetMs = automaticOffsetMs(lateMs, stepOf(indicator));
  return settledToMs({ nowMs, offsetMs, lateMs, storedMs: arrivals.storedTo(place, signals).running });
}

/** The minutes of a range that differ from what is stored. */
async function recount(parts: CountParts, slo: SloRow, range: Range, signal: AbortSignal) {
  const scope = scopeOfSlo(slo);
  const found = await countIndicator(parts, scope, slo.definition.indicator, range, { lane: 'background', signal });
  const stored = await listMinutes(parts.gateway.lane('background'), countedSlo(slo), range, signal);
  return changedMinutes(found, stored);
}

export function scopeOfSlo(slo: Pick<SloRow, 'workspace_number' | 'project_number' | 'environment'>) {
  return {
    workspace: slo.workspace_number,
    project: slo.project_number,
    environment: slo.environment ?? undefined,
  };
}

export function countedSlo(slo: SloRow): CountedSlo {
  return { id: slo.id, revision: slo.revision, scope: scopeOfSlo(slo) };
}
