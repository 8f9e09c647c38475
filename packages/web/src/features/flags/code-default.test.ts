import { expect, it } from 'vitest';
import { affectedBy } from './affected.ts';
import { describeServe } from './describe.ts';
import { diffDrafts } from './diff.ts';
import { type EditableTargeting, toBody, toDraft } from './draft.ts';
import { targetingIssues } from './targeting-issues.ts';
import { tryDraft } from './trial.ts';

const variants = [
  { key: 'on', value: true },
  { key: 'off', value: false },
];
const targeting: EditableTargeting = {
  enabled: true,
  off_variant: null,
  fallthrough: { variant: null },
  targets: [],
  rules: [],
};

it('keeps a flag without a served variant unchanged through reading, writing and validation', () => {
  const draft = toDraft(targeting);
  expect(toBody(draft, 3)).toEqual({ ...targeting, version: 3 });
  expect(targetingIssues({ variants }, draft)).toEqual([]);
  expect(describeServe(draft.fallthrough)).toBe('the code default');
});

it('describes changes, affected users and the result for a context', () => {
  const before = toDraft({ ...targeting, off_variant: 'off', fallthrough: { variant: 'on' } });
  const after = toDraft(targeting);
  expect(diffDrafts(before, after)).toEqual([
    { what: 'While off', before: 'off', after: 'the code default' },
    { what: 'Everybody else', before: 'on', after: 'the code default' },
  ]);
  expect(affectedBy(before, after)).toEqual([
    { who: 'Everybody else', what: 'changes: 100% from on to the code default', wide: true },
  ]);
  const trial = tryDraft({ key: 'f', kind: 'boolean', variants }, after, {}, { environment: 'e', project: 'p' });
  expect(trial.explanation.evaluation).toMatchObject({ variant: null, reason: 'FALLTHROUGH' });
  expect(trial.explanation.evaluation.error).toBeUndefined();
});
