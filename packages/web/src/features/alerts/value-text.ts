import type { AlertInstance } from '../../alerting/instances.ts';
import { formatNumber, formatPercent } from '../../ui/format/index.ts';
import { queryFacts } from '../explore/query-facts.ts';

/** Whether the value of a query is a share of 1: that of the column `value`, or else of its only number. */
export function isShare(query: string): boolean {
  const { ratios } = queryFacts(query);
  return ratios.has('value') || (ratios.size === 1 && !/\bvalue\s*=/.test(query));
}

export function valueText(value: AlertInstance['value'], share: boolean): string {
  if (value === null) return '–';
  if (typeof value !== 'number') return value;
  return share ? formatPercent(value) : formatNumber(value);
}
