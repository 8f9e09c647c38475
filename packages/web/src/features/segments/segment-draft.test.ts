import { expect, it } from 'vitest';
import { NO_CHANGES } from './key-changes.ts';
import type { Segment } from './queries.ts';
import { diffSegment, toSegmentBody, toSegmentDraft } from './segment-draft.ts';

const base: Segment = {
  id: '',
  key: 'beta',
  name: 'Beta',
  description: '',
  included_count: 1,
  excluded_count: 0,
  included: ['ada'],
  excluded: [],
  rules: [{ clauses: [{ attribute: 'country', op: 'in', values: ['DE'], negate: false }] }],
  version: 3,
  created_at: '',
  updated_at: '',
  updated_by: null,
  used_by: { flags: [], segments: [] },
};

it('writes nothing for an edit without changes', () => {
  const draft = toSegmentDraft(base);
  expect(diffSegment(base, draft)).toEqual([]);
  expect(toSegmentBody(base, draft, '')).toEqual({ version: 3 });
});

it('writes keys one by one and rules as a whole', () => {
  const draft = toSegmentDraft(base);
  draft.included = { ...NO_CHANGES, added: new Set(['bob']) };
  draft.rules = [];
  expect(toSegmentBody(base, draft, 'why')).toEqual({
    add: { included: ['bob'] },
    rules: [],
    version: 3,
    comment: 'why',
  });
  expect(diffSegment(base, draft)).toEqual([
    { what: 'Included keys', before: null, after: 'with bob' },
    { what: 'Rule 1', before: 'country is one of DE', after: null },
  ]);
});
