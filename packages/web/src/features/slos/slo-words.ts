import type { Tone } from '../../alerting/states.ts';
import { quote } from '../../telemetry/oql.ts';
import { formatDuration, formatPercent } from '../../ui/format/index.ts';
import type { Indicator, ListedSlo, SloWindow, Standing } from './queries.ts';

const day = 86_400;

/** `99.9%`: every digit of an objective, which is a promise. */
export function objectiveText(objective: number): string {
  return `${Number((objective * 100).toPrecision(12))}%`;
}

/** `99.954%`: a digit more than the objective, cut and not rounded, so that a missed objective never reads as met. */
export function attainmentText(attainment: number | null, objective: number): string {
  if (attainment === null) return '–';
  if (attainment === 1) return '100%';
  const nines = (objectiveText(objective).split('.')[1]?.length ?? 1) - 1;
  const scale = 10 ** (Math.max(1, nines) + 1);
  return `${Math.floor(Number((attainment * 100 * scale).toPrecision(13))) / scale}%`;
}

/** `30 days`, `calendar month (Europe/Berlin)`. */
export function windowText(window: SloWindow): string {
  if (window.kind === 'rolling') return `${Number.parseInt(window.period, 10)} days`;
  return `calendar ${window.unit} (${window.time_zone})`;
}

/** The length that budgets are shown for, in seconds. */
export function periodSeconds(window: SloWindow): number {
  if (window.kind === 'rolling') return Number.parseInt(window.period, 10) * day;
  return { week: 7, month: 30, quarter: 90 }[window.unit] * day;
}

/** How long everything may fail in a time, at even traffic: `43m 12s`. */
export function allowedText(objective: number, seconds: number): string {
  return formatDuration(Math.round((1 - objective) * seconds * 1e6) * 1e3);
}

/** What is counted, in a line. */
export function indicatorText(indicator: Indicator): string {
  switch (indicator.kind) {
    case 'events':
      return `${indicator.source} → good: ${indicator.good}`;
    case 'ratio':
      return `${indicator.good} of ${indicator.total}`;
    case 'slices':
      return `${indicator.query} ${indicator.op} ${indicator.threshold}, each ${indicator.slice}`;
  }
}

/** The share of a budget that is left, as a tone. */
export function budgetTone(left: number): 'ok' | 'warning' | 'error' {
  return left <= 0 ? 'error' : left < 0.25 ? 'warning' : 'ok';
}

/** `14.4×`: how many times as fast as the objective allows. */
export function burnText(rate: number | null): string {
  if (rate === null) return '–';
  if (rate === 0) return '0×';
  return `${rate >= 100 ? Math.round(rate) : Number(rate.toPrecision(rate < 1 ? 2 : 3))}×`;
}

/** What stands first in a list: what is wrong, or that nothing is. */
export function stateOf(
  { health, backfill }: Pick<ListedSlo, 'health' | 'backfill'>,
  status: Pick<Standing, 'total' | 'budget' | 'alerts'> | null | undefined,
): { label: string; tone: Tone } {
  if (health.error !== null) return { label: 'Cannot be counted', tone: 'pending' };
  if (status === undefined) return { label: 'Loading', tone: 'off' };
  if (status === null) return { label: 'Not readable', tone: 'off' };
  if (backfill.state === 'running' && status.total === 0) return { label: 'Counting', tone: 'off' };
  if (status.budget.left === null) return { label: 'No events', tone: 'off' };
  const burning = (severity: string) => status.alerts.some((alert) => alert.firing && alert.severity === severity);
  if (burning('page')) return { label: 'Burning fast', tone: 'firing' };
  if (status.budget.left <= 0) return { label: 'Budget spent', tone: 'firing' };
  if (burning('ticket')) return { label: 'Burning', tone: 'pending' };
  return { label: 'OK', tone: 'ok' };
}

/** The least budget first; SLOs without events last. */
export function leastBudgetFirst<T extends { readonly name: string; readonly status?: Standing | null | undefined }>(
  slos: readonly T[],
): T[] {
  const left = ({ status }: T) => status?.budget.left ?? Number.POSITIVE_INFINITY;
  return slos.toSorted((a, b) => {
    const [x, y] = [left(a), left(b)];
    return x === y ? a.name.localeCompare(b.name) : x - y;
  });
}

/** Whether an indicator counts events of a service: its queries name it. */
export function isOfService(indicator: Indicator, service: string): boolean {
  const named = `service.name == ${quote(service)}`;
  switch (indicator.kind) {
    case 'events':
      return indicator.source.includes(named);
    case 'ratio':
      return indicator.total.includes(named);
    case 'slices':
      return indicator.query.includes(named);
  }
}

/** `12% of the budget`: the share of a time's budget that an attainment spends. */
export function spentText(attainment: number | null, objective: number): string {
  return attainment === null ? '–' : formatPercent((1 - attainment) / (1 - objective));
}
