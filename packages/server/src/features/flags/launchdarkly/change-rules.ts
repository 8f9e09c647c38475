import type { Flag, Ruleset } from '@fanion/flag-engine';
import type { Steps } from '../../../platform/steps.ts';
import type { LaunchDarklyData, LaunchDarklyItem } from './convert-rules.ts';

/** What a stream sends after a change. */
export type LaunchDarklyChange =
  | { readonly event: 'none' }
  | { readonly event: 'patch'; readonly path: string; readonly data: LaunchDarklyItem }
  | { readonly event: 'delete'; readonly path: string; readonly version: number }
  /** Everything: SDKs apply several events one by one, and would evaluate in between. */
  | { readonly event: 'put' };

const everything = { event: 'put' } as const;

/**
 * The change from one version to a later one. SDKs ignore an item whose version is not greater than that of the one they have,
 * deleted ones included: so an item that is new, or that has changed only because of another one, needs everything again.
 */
export function* launchDarklyChange(before: LaunchDarklyData, after: LaunchDarklyData): Steps<LaunchDarklyChange> {
  let found: LaunchDarklyChange = { event: 'none' };
  for (const kind of ['segments', 'flags'] as const) {
    const [old, now] = [before[kind], after[kind]];
    for (const key of Object.keys(now)) if (!Object.hasOwn(old, key)) return everything;
    for (const [key, item] of Object.entries(old)) {
      yield;
      const change = changeOf(`/${kind}/${key}`, item, Object.hasOwn(now, key) ? now[key] : undefined);
      if (change.event === 'none') continue;
      if (change.event === 'put' || found.event !== 'none') return everything;
      found = change;
    }
  }
  return found;
}

function changeOf(path: string, old: LaunchDarklyItem, now: LaunchDarklyItem | undefined): LaunchDarklyChange {
  if (now === undefined) return { event: 'delete', path, version: old.version + 1 };
  if (JSON.stringify(old) === JSON.stringify(now)) return { event: 'none' };
  return now.version > old.version ? { event: 'patch', path, data: now } : everything;
}

/**
 * The flag that alone can have another value in a later ruleset, which shares with the former what has not changed. Undefined: there
 * are several, such as the flags that need one which has changed.
 */
export function onlyChangedFlag(from: Ruleset, to: Ruleset): string | undefined {
  if (!isSame(from.segments, to.segments)) return undefined;
  const removed = Object.keys(from.flags).filter((key) => !Object.hasOwn(to.flags, key));
  const changed = Object.keys(to.flags).filter((key) => from.flags[key] !== to.flags[key]);
  const [key, another] = [...removed, ...changed];
  if (key === undefined || another !== undefined) return undefined;
  const needs = ({ prerequisites }: Flag) => prerequisites.some(({ flag }) => flag === key);
  return Object.values(to.flags).some(needs) ? undefined : key;
}

function isSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
