import { expect, it } from 'vitest';
import type { Draft } from './draft.ts';
import { placeOf, targetingIssues } from './targeting-issues.ts';

const flag = { variants: [{ key: 'true' }, { key: 'false' }] };
const draft: Draft = {
  enabled: true,
  offVariant: 'false',
  fallthrough: { kind: 'variant', variant: 'true' },
  targets: [],
  rules: [],
};

it('finds no issues in a plain targeting', () => expect(targetingIssues(flag, draft)).toEqual([]));

it('names the place of each issue', () => {
  const issues = targetingIssues(flag, {
    ...draft,
    fallthrough: { kind: 'split', weights: [{ variant: 'true', weight: 5 }], bucketBy: '', seed: '' },
    rules: [
      {
        uid: '1',
        id: undefined,
        description: '',
        clauses: [{ uid: '2', attribute: '', op: 'in', values: [], negate: false }],
        serve: { kind: 'variant', variant: 'gone' },
      },
    ],
  });
  const places = new Set(issues.map((issue) => issue.where));
  expect(places).toContain('Everybody else');
  expect(places).toContain('Rule 1, condition 1');
  expect(places).toContain('Rule 1');
});

it.each([
  ['rules.0.clauses.1.values.2', 'Rule 1, condition 2'],
  ['rules', 'Rules'],
  ['targets.3', 'Individual targets'],
  ['else', 'Targeting'],
])('%s is at %s', (path, place) => expect(placeOf(path)).toBe(place));
