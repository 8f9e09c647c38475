import { expect, it } from 'vitest';
import { type PreviewedStep, shownStep } from './preview-rules.ts';
import type { RecordingRule } from './queries.ts';
import { bodyOf, draftOf, emptyDraft, problemsOf } from './rule-draft.ts';
import { groupsOf, stateOf } from './rule-words.ts';

const rule: RecordingRule = {
  id: 'a',
  name: 'shop.requests',
  project: 'default',
  environment: null,
  query: 'spans | stats value=count()',
  query_language: 'oql',
  every: '1m',
  offset: '30s',
  effective_offset: '30s',
  labels: { team: 'shop' },
  unit: '{request}',
  group: 'shop',
  position: 1,
  enabled: true,
  version: 1,
  revision: 1,
  watermark: '',
  lag_seconds: 20,
  missed: 0,
  last_error: null,
  backfill: null,
  created_by: null,
  updated_by: null,
  created_at: '',
  updated_at: '',
};

it.each([
  ['OK', {}],
  ['OK', { lag_seconds: 180 }],
  ['Late', { lag_seconds: 181 }],
  ['OK', { every: '10s', lag_seconds: 90 }],
  ['Fails', { last_error: 'no', lag_seconds: 1_000 }],
  ['Off', { enabled: false, last_error: 'no' }],
])('is %s with %j', (label, change) => {
  expect(stateOf({ ...rule, ...change }).label).toBe(label);
});

it('lists groups by name, and rules in the order in which they run', () => {
  const rules = [
    { ...rule, id: 'd', group: 'b' },
    { ...rule, id: 'c', position: 2 },
    { ...rule, id: 'b', position: 0 },
    { ...rule, id: 'a', position: 2 },
  ];
  expect(groupsOf(rules).map(({ name, rules: own }) => [name, own.map(({ id }) => id).join('')])).toEqual([
    ['b', 'd'],
    ['shop', 'bac'],
  ]);
});

it('saves a rule as it was, and the past only if it is asked for', () => {
  const { name, query, query_language, every, offset, labels, unit, group, position } = rule;
  const same = { name, query, query_language, every, offset, labels, unit, group, position, enabled: true };
  expect(bodyOf(draftOf(rule), true)).toEqual(same);
  expect(bodyOf({ ...draftOf(rule), backfill_from: 'now-7d' }, true)).toEqual({ ...same, backfill_from: 'now-7d' });
});

it('names what is missing', () => {
  expect(Object.keys(problemsOf(emptyDraft))).toEqual(['name', 'query']);
  expect(Object.keys(problemsOf({ ...draftOf(rule), labels: 'x', position: '-1' }))).toEqual(['labels', 'position']);
});

it.each([
  ['the complete one', [3, 0], true],
  ['the complete one, even if both have series', [3, 2], true],
  ['the one that has not ended, if only that has series', [0, 2], false],
  ['the complete one, if none has series', [0, 0], true],
])('previews %s of two steps', (_name, counts, complete) => {
  const steps = counts.map((series, i): PreviewedStep => ({ from: '', to: '', complete: i === 0, series, points: [] }));
  expect(shownStep(steps)?.complete).toBe(complete);
});
