import { parse, printQuery } from '@fanion/oql/syntax';
import { fieldPath } from '../../telemetry/filters.ts';
import { quote } from '../../telemetry/oql.ts';
import { MEASURES, type Summary, summaryStage } from './builder.ts';

/** A condition that a form can show. */
export interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: string;
  /** Whether the value is text, also where it looks like a number. */
  readonly isText: boolean;
}

export const OPERATORS = [
  { value: '==', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '>', label: 'is more than' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
  { value: 'contains', label: 'contains' },
  { value: 'startswith', label: 'starts with' },
  { value: 'exists', label: 'exists' },
];

/** Fields whose values are OQL keywords. */
const WORDS = new Set(['status', 'kind', 'severity']);
/** Numbers, durations, sizes and booleans are written without quotes. */
const PLAIN = /^(-?\d+(\.\d+)?(ns|us|ms|s|m|h|d|kb|mb|gb|b)?|true|false|null)$/i;

/** The OQL of a condition. */
export function conditionOf({ field, operator, value, isText }: Condition): string {
  const path = fieldPath(field);
  if (operator === 'exists') return `${path} != null`;
  const isWord = WORDS.has(field) && /^\w+$/.test(value);
  const isPlain = operator !== 'contains' && operator !== 'startswith' && !isText && PLAIN.test(value);
  return `${path} ${operator} ${isWord || isPlain ? value : quote(value)}`;
}

/** What a form shows of a condition; null if it would lose something of it. */
export function conditionIn(text: string): Condition | null {
  const predicate = stageOf(`where ${text}`, 'where')?.predicate;
  if (predicate?.kind !== 'compare' || predicate.left.kind !== 'path') return null;
  const { left, operator, right } = predicate;
  const field = left.segments.join('.');
  const exists = operator === '!=' && right.kind === 'null';
  const isText = right.kind === 'string';
  const found: Condition = {
    field,
    operator: exists ? 'exists' : operator,
    value: exists ? '' : isText ? right.value : text.slice(right.start - PREFIX, right.end - PREFIX),
    isText,
  };
  const known = OPERATORS.some(({ value }) => value === found.operator);
  return known && normalForm(`where ${conditionOf(found)}`) === normalForm(`where ${text}`) ? found : null;
}

/** What a form shows of a stage that summarizes; null if it would lose something of it. */
export function summaryIn(text: string): Summary | null {
  const stage = stageOf(text, 'stats');
  const [aggregate] = stage?.aggregates ?? [];
  if (stage === undefined || aggregate === undefined) return null;
  const measured = aggregate.value.kind === 'call' ? aggregate.value.args.items[0] : undefined;
  const field = measured?.kind === 'path' ? measured.segments.join('.') : '';
  const by = stage.by.flatMap(({ value }) => (value.kind === 'path' ? [value.segments.join('.')] : []));
  const overTime = by.length < stage.by.length;
  const normal = normalForm(text);
  const measure = Object.keys(MEASURES).find(
    (id) => normalForm(stageText({ measure: id, field, by, overTime })) === normal,
  );
  return measure === undefined ? null : { measure, field, by, overTime };
}

/** The stage of a summary whose names are as people write them. */
export function stageText({ field, by, ...rest }: Summary): string {
  return summaryStage({ ...rest, field: fieldPath(field), by: by.map(fieldPath) });
}

type Stage = NonNullable<ReturnType<typeof parse>['query']>['pipeline']['stages'][number];
const SOURCE = 'spans | ';
/** Where a condition begins in the query that holds it. */
const PREFIX = `${SOURCE}where `.length;

function stageOf<K extends Stage['kind']>(text: string, kind: K): Extract<Stage, { kind: K }> | undefined {
  const stages = parse(`${SOURCE}${text}`).query?.pipeline.stages ?? [];
  const [stage] = stages;
  return stages.length === 1 && stage?.kind === kind ? (stage as Extract<Stage, { kind: K }>) : undefined;
}

function normalForm(text: string): string | undefined {
  const query = parse(`${SOURCE}${text}`).query;
  return query === undefined ? undefined : printQuery(query);
}
