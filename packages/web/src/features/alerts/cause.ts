import { formatPercent } from '../../ui/format/index.ts';
import type { AlertExplanation } from './queries.ts';

/** Shares that differ less may differ by chance; 0…1. */
const TELLING = 0.2;

/**
 * The most telling part of an explanation in one line: a flag variant that failing traces saw, else the last change before, else an
 * attribute of failing rows. Null if nothing stands out. `known` names the labels of the alert, which say nothing new.
 */
export function causeOf(
  { flags, changes, contrast, window }: Pick<AlertExplanation, 'flags' | 'changes' | 'contrast' | 'window'>,
  known: ReadonlySet<string>,
): string | null {
  const [flag] = flags;
  if (flag !== undefined && flag.failing - flag.others >= TELLING)
    return `${formatPercent(flag.failing)} of failing traces saw ${flag.flag} = ${flag.variant}, of the others ${formatPercent(flag.others)}`;
  const [change] = changes;
  if (change !== undefined) {
    const minutes = Math.max(0, Math.round((Date.parse(window.to) - Date.parse(change.time)) / 60_000));
    const what = change.kind === 'flag' ? `the flag ${change.name} changed` : `${change.name} got ${change.detail}`;
    return `${minutes === 0 ? 'Just' : `${minutes} min`} before, ${what}${change.environment === null ? '' : ` in ${change.environment}`}`;
  }
  const row = contrast.find(({ field, failing, others }) => !known.has(field) && failing - others >= TELLING);
  if (row === undefined) return null;
  return `${formatPercent(row.failing)} of failing rows have ${row.field} = ${row.value}, of the others ${formatPercent(row.others)}`;
}
