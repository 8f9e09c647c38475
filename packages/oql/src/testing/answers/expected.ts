import type { ResultValue } from '../../result.ts';
import { SPANS, type SpanRow } from '../fixture.ts';
import type { Golden } from '../golden/expected.ts';

export const PAY: readonly SpanRow[] = SPANS.filter(({ name }) => name === 'POST /pay');
const PAYMENTS = 'spans | where name == "POST /pay"';

/** The attributes of each payment: `order.id` is its minute, `amount` one and a half times that. */
export interface Payment {
  readonly id: number;
  readonly amount: number;
  readonly currency: string;
  readonly retried: boolean;
  readonly ms: number;
}

export const payments: readonly Payment[] = PAY.map((span, id) => ({
  id,
  amount: span.floats.amount ?? 0,
  currency: span.strings.currency ?? '',
  retried: span.bools.retried ?? false,
  ms: span.duration / 1e6,
}));

/** A number computed from each payment: the sum, extremes and count. */
export function numberOf(expression: string, of: (payment: Payment) => number | null, within = 1e-9): Golden {
  const values = payments.map(of).filter((value): value is number => value !== null);
  return {
    query: `${PAYMENTS} | extend r = ${expression} | stats s=sum(r), lo=min(r), hi=max(r), n=count(r)`,
    rows: [[values.reduce((sum, n) => sum + n, 0), Math.min(...values), Math.max(...values), values.length]],
    within,
  };
}

/** The number of payments, grouped by a value computed from each. */
export function groupsOf(expression: string, of: (payment: Payment) => ResultValue): Golden {
  return { query: `${PAYMENTS} | stats n=count() by r=${expression}`, rows: counted(payments.map(of)) };
}

/** The number of payments that meet a condition. */
export function where(condition: string, holds: (payment: Payment) => boolean): Golden {
  return { query: `${PAYMENTS} | where ${condition} | count`, rows: [[payments.filter(holds).length]] };
}

/** Values with the number of times each occurs: sorted, null last. */
export function counted(values: readonly ResultValue[]): readonly (readonly ResultValue[])[] {
  const counts = new Map<ResultValue, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return a < b ? -1 : 1;
  });
}

/** Spans of the frontend, which are root spans, by their routes. */
export const front: readonly SpanRow[] = SPANS.filter(({ service }) => service === 'frontend');
export const routes = ['/cart', '/checkout'] as const;
export const routed = (route: string) => front.filter(({ strings }) => strings['http.route'] === route);
