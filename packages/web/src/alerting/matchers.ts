import type { listSilences, RouteResponse } from '@fanion/contract';

export type Matcher = RouteResponse<typeof listSilences>[number]['matchers'][number];
export const OPERATORS = ['=', '!=', '=~', '!~'] as const satisfies readonly Matcher['op'][];

/** A matcher while somebody edits it. `uid` identifies its row and is never sent. */
export interface MatcherDraft extends Matcher {
  readonly uid: string;
}

let lastUid = 0;
export function newMatcher(matcher: Matcher = { name: '', op: '=', value: '' }): MatcherDraft {
  lastUid += 1;
  return { ...matcher, uid: `m${lastUid}` };
}

/** The matchers that a draft has so far: rows without a name are not complete. */
export function namedMatchers(drafts: readonly MatcherDraft[]): Matcher[] {
  return drafts
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, op, value }) => ({ name: name.trim(), op, value }));
}

export function matcherText({ name, op, value }: Matcher): string {
  return `${name}${op}"${value}"`;
}

/** Matchers of alerts with exactly these labels; `alertname` first. */
export function matchersOf(labels: Readonly<Record<string, string>>): Matcher[] {
  return Object.entries(labels)
    .toSorted(([a], [b]) => Number(b === 'alertname') - Number(a === 'alertname') || a.localeCompare(b))
    .map(([name, value]) => ({ name, op: '=' as const, value }));
}

/** The labels that all of the sets have with the same value. */
export function commonLabels(sets: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...others] = sets;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((labels) => labels[name] === value)),
  );
}
