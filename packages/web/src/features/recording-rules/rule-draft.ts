import type { createRecordingRule, QueryLanguage, RouteBodyInput } from '@fanion/contract';
import { labelsOf } from '../alerts/rule-draft.ts';
import type { RecordingRule } from './queries.ts';

type Body = RouteBodyInput<typeof createRecordingRule>;

/** The past that can be written as well, by when it begins; empty: nothing. */
export const PASTS = [
  { value: '', label: 'Only from now on' },
  { value: 'now-1d', label: 'Also the last day' },
  { value: 'now-7d', label: 'Also the last 7 days' },
  { value: 'now-30d', label: 'Also the last 30 days' },
  { value: 'now-90d', label: 'Also the last 90 days' },
];

/** A rule while somebody edits it: every field as the text of its input. */
export interface RuleDraft {
  readonly name: string;
  readonly query: string;
  readonly language: QueryLanguage;
  readonly every: string;
  readonly offset: string;
  /** A line per label: `team=shop`. */
  readonly labels: string;
  readonly unit: string;
  readonly group: string;
  readonly position: string;
  readonly backfill_from: string;
}

export const emptyDraft: RuleDraft = {
  name: '',
  query: '',
  language: 'oql',
  every: '1m',
  offset: '',
  labels: '',
  unit: '',
  group: 'default',
  position: '0',
  backfill_from: '',
};

export function draftOf(rule: RecordingRule): RuleDraft {
  return {
    name: rule.name,
    query: rule.query,
    language: rule.query_language,
    every: rule.every,
    offset: rule.offset ?? '',
    labels: Object.entries(rule.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    unit: rule.unit,
    group: rule.group,
    position: String(rule.position),
    backfill_from: '',
  };
}

/** What keeps a draft from being saved, by field. */
export function problemsOf(draft: RuleDraft): Partial<Record<keyof RuleDraft, string>> {
  const position = Number(draft.position);
  return {
    ...(draft.name.trim() === '' && { name: 'Name the metric' }),
    ...(draft.query.trim() === '' && { query: 'Write the query whose result is recorded' }),
    ...(labelsOf(draft.labels) === undefined && { labels: 'Write one name=value per line' }),
    ...((draft.position.trim() === '' || !Number.isInteger(position) || position < 0) && {
      position: 'Enter a whole number from 0',
    }),
  };
}

/** The fields that creating and replacing a rule share. */
export function bodyOf(draft: RuleDraft, enabled: boolean) {
  return {
    name: draft.name.trim(),
    query: draft.query.trim(),
    query_language: draft.language,
    every: draft.every.trim(),
    offset: draft.offset.trim() === '' ? null : draft.offset.trim(),
    labels: labelsOf(draft.labels) ?? {},
    unit: draft.unit.trim(),
    group: draft.group.trim(),
    position: Number(draft.position),
    enabled,
    ...(draft.backfill_from !== '' && { backfill_from: draft.backfill_from }),
  } satisfies Omit<Body, 'project'>;
}
