import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import { dueMinutes, lateBefore, portionsOf } from './rules.ts';
import { countArrived, derivePortion, findDerivedTo, listLateMinutes } from './store.ts';

/** Late minutes per run: a day of history. */
const maxLateMinutes = 1_440;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 40_000;

/** Derives minutes that have settled, and again those that received spans since they were derived. */
export async function deriveDue(
  store: Pick<ClickHouse, 'queryRows' | 'command'>,
  { now, signal }: { now(): number; readonly signal: AbortSignal },
): Promise<void> {
  const beganMs = now();
  const derive = async (minutes: readonly number[], arrived: ReadonlyMap<number, number>) => {
    for (const portion of portionsOf(minutes, (minute) => arrived.get(minute) ?? 0)) {
      signal.throwIfAborted();
      if (now() - beganMs > budgetMs) return;
      await derivePortion(store, portion, now(), signal);
    }
  };
  const due = dueMinutes(await findDerivedTo((statement) => store.queryRows(statement)), beganMs / 1000);
  const [first, last = first] = [due[0], due.at(-1)];
  if (first !== undefined && last !== undefined)
    await derive(due, await countArrived(store, { from: first, to: last + 60 }));
  const late = await listLateMinutes(store, lateBefore(beganMs / 1000), beganMs, maxLateMinutes);
  await derive([...late.keys()], late);
}
