import { type Symptom, symptomOf, symptomQuery } from '../../alerting/symptom-rules.ts';
import { formatDuration, formatNumber, formatPercent, formatRate } from '../../ui/format/index.ts';
import type { RuleDraft } from './rule-draft.ts';

/** The symptom that a draft watches; null if only its query can say it. A draft without a query watches nothing yet. */
export function symptomOfDraft({ query, kind }: Pick<RuleDraft, 'query' | 'kind'>): Symptom | null {
  if (query.trim() === '') return null;
  const symptom = symptomOf(query);
  // Rows that are absent are counted; a threshold on their number is another rule.
  return symptom !== null && (symptom.kind === 'silence') === (kind === 'absence') ? symptom : null;
}

/** The draft that watches a symptom. Another kind of symptom has another condition; the rest stays. */
export function withSymptom(draft: RuleDraft, symptom: Symptom): Partial<RuleDraft> {
  const before = symptomOfDraft(draft);
  const isNamed = draft.name.trim() !== '' && (before === null || draft.name !== nameOf(before));
  const change = { query: symptomQuery(symptom), ...(!isNamed && { name: nameOf(symptom) }) };
  const { window, threshold } = draft;
  // The values of longer windows are steadier.
  const wider = { window: window === '' ? '5m' : window };
  if (before !== null && before.kind === symptom.kind) return { ...change, ...wider };
  const drops = symptom.kind === 'traffic';
  return {
    ...change,
    ...wider,
    kind: symptom.kind === 'silence' ? 'absence' : 'threshold',
    op: drops ? '<' : '>',
    // What was written for no symptom at all is kept.
    threshold: before === null ? threshold : '',
    // Requests that stop have no rate.
    no_data: drops ? 'alert' : 'ok',
    missing_series: drops ? 'alert' : 'resolve',
  };
}

/** The name of a rule that nobody has named; empty while no metric is chosen. */
export function nameOf({ kind, service, operation, quantile, metric, aggregation }: Symptom): string {
  if (kind === 'metric' && metric === '') return '';
  const what = {
    errors: 'error rate',
    latency: `${quantile} latency`,
    traffic: 'request rate drops',
    silence: 'no data',
    log_errors: 'log errors',
    metric: `${aggregation} of ${metric}`,
  }[kind];
  const where = [service, kind === 'metric' || kind === 'log_errors' ? '' : operation].filter((part) => part !== '');
  return `${where.length === 0 ? 'All services' : where.join(' ')}: ${what}`;
}

/** How people write the threshold of a symptom. */
export interface ThresholdUnit {
  readonly suffix: string;
  /** The value of one unit. */
  readonly factor: number;
}
const PLAIN: ThresholdUnit = { suffix: '', factor: 1 };

export function unitOf(symptom: Symptom | null): ThresholdUnit {
  switch (symptom?.kind) {
    case 'errors':
      return { suffix: '%', factor: 0.01 };
    case 'latency':
      return { suffix: 'ms', factor: 1e6 };
    case 'traffic':
      return { suffix: '/s', factor: 1 };
    default:
      return PLAIN;
  }
}

/** A value of a symptom, as charts and sentences have it. */
export function formatOf(symptom: Symptom | null): ((value: number) => string) | undefined {
  switch (symptom?.kind) {
    case 'errors':
      return formatPercent;
    case 'latency':
      return formatDuration;
    case 'traffic':
      return formatRate;
    case undefined:
      return undefined;
    default:
      return formatNumber;
  }
}

/** A value in its unit, as the input shows it; a text that is no number stays. */
export function inUnit(value: string, { factor }: ThresholdUnit): string {
  return converted(value, (number) => number / factor);
}

/** The value of what was typed in the input. */
export function fromUnit(text: string, { factor }: ThresholdUnit): string {
  return converted(text, (number) => number * factor);
}

function converted(text: string, convert: (number: number) => number): string {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) return text;
  return String(Number(convert(number).toPrecision(12)));
}
