import { Meter } from '../../ui/meter.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import type { ListedSlo, Standing } from './queries.ts';
import { budgetTone, stateOf } from './slo-words.ts';

export function SloState({
  slo,
  status,
}: {
  slo: Pick<ListedSlo, 'health' | 'backfill'>;
  status: Pick<Standing, 'total' | 'budget' | 'alerts'> | null | undefined;
}) {
  const { label, tone } = stateOf(slo, status);
  return <StateLabel label={label} tone={tone} title={slo.health.error ?? undefined} />;
}

/** The share of the budget that is left; a dash without events. */
export function BudgetLeft({ left }: { left: number | null | undefined }) {
  if (left === null || left === undefined) return <span className="dim">–</span>;
  return <Meter label="Budget left" share={left} tone={budgetTone(left)} />;
}
