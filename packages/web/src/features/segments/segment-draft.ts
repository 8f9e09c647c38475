import type { RouteBodyInput, updateSegment } from '@fanion/contract';
import { countOf } from '../../ui/format/index.ts';
import { describeWhom, listValues } from '../flags/describe.ts';
import type { Change } from '../flags/diff.ts';
import { type ClauseDraft, type Share, toClauseBody, toClauseDraft, toSharesBody, uid } from '../flags/draft.ts';
import { type KeyChanges, NO_CHANGES } from './key-changes.ts';
import type { Segment } from './queries.ts';

export interface SegmentDraft {
  name: string;
  description: string;
  included: KeyChanges;
  excluded: KeyChanges;
  rules: { uid: string; clauses: ClauseDraft[]; shares?: readonly Share[] }[];
}

type Body = RouteBodyInput<typeof updateSegment>;

/** A segment during editing; holds only changes of its keys. */
export function toSegmentDraft({ name, description, rules }: Segment): SegmentDraft {
  return {
    name,
    description,
    included: NO_CHANGES,
    excluded: NO_CHANGES,
    rules: rules.map(({ clauses, shares }) => ({
      uid: uid(),
      clauses: clauses.map(toClauseDraft),
      ...(shares !== undefined && { shares }),
    })),
  };
}

/** The body of the PATCH: only differences, keys one by one. */
export function toSegmentBody(base: Segment, draft: SegmentDraft, comment: string): Body {
  const lists = (part: 'added' | 'removed') => ({
    ...(draft.included[part].size > 0 && { included: [...draft.included[part]] }),
    ...(draft.excluded[part].size > 0 && { excluded: [...draft.excluded[part]] }),
  });
  const [add, remove] = [lists('added'), lists('removed')];
  const name = draft.name.trim();
  return {
    ...(name !== base.name && { name }),
    ...(draft.description !== base.description && { description: draft.description }),
    ...(Object.keys(add).length > 0 && { add }),
    ...(Object.keys(remove).length > 0 && { remove }),
    ...(rulesText(draft) !== rulesText(toSegmentDraft(base)) && { rules: rulesBody(draft) }),
    version: base.version,
    ...(comment.trim() !== '' && { comment: comment.trim() }),
  };
}

/** All differences from the saved state, in words. */
export function diffSegment(base: Segment, draft: SegmentDraft): Change[] {
  const was = toSegmentDraft(base);
  const changes: Change[] = [];
  const note = (what: string, before: string | null, after: string | null) => {
    if (before !== after) changes.push({ what, before, after });
  };
  note('Name', base.name, draft.name.trim());
  note('Description', base.description, draft.description);
  note('Included keys', keysText('without', draft.included.removed), keysText('with', draft.included.added));
  note('Excluded keys', keysText('without', draft.excluded.removed), keysText('with', draft.excluded.added));
  for (let index = 0; index < Math.max(was.rules.length, draft.rules.length); index++) {
    const text = (rule: SegmentDraft['rules'][number] | undefined) => (rule ? describeWhom(rule) : null);
    note(`Rule ${index + 1}`, text(was.rules[index]), text(draft.rules[index]));
  }
  return changes;
}

function keysText(word: string, keys: ReadonlySet<string>): string | null {
  if (keys.size === 0) return null;
  return keys.size <= 6 ? `${word} ${listValues([...keys])}` : `${word} ${countOf(keys.size, 'key')}`;
}

function rulesBody({ rules }: SegmentDraft): NonNullable<Body['rules']> {
  return rules.map(({ clauses, shares }) => ({ clauses: clauses.map(toClauseBody), ...toSharesBody(shares) }));
}

function rulesText(draft: SegmentDraft): string {
  return JSON.stringify(rulesBody(draft));
}
