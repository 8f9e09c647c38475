import type { createRoutingPolicy, RouteBodyInput } from '@fanion/contract';
import { type MatcherDraft, namedMatchers, newMatcher } from '../../alerting/matchers.ts';
import { type IntervalDraft, intervalDraftOf, intervalOf, isUnrestricted } from './interval-draft.ts';
import type { Policy } from './queries.ts';

type Body = RouteBodyInput<typeof createRoutingPolicy>;

/** In `group_by`: each set of labels is a separate group. */
export const EVERY_LABEL = '...';

export type Grouping = 'parent' | 'labels' | 'one' | 'each';

/** A policy while somebody edits it. */
export interface PolicyDraft {
  readonly name: string;
  readonly parent: string;
  readonly matchers: readonly MatcherDraft[];
  /** Whether it sets channels; otherwise it uses its parent's. */
  readonly ownChannels: boolean;
  readonly channels: readonly string[];
  readonly grouping: Grouping;
  /** For the grouping by labels. */
  readonly group_by: readonly string[];
  /** Durations; empty: as the parent. */
  readonly group_wait: string;
  readonly group_interval: string;
  readonly repeat_interval: string;
  readonly continue: boolean;
  readonly mute: readonly IntervalDraft[];
  readonly active: readonly IntervalDraft[];
}

export function newPolicy(parent: string): PolicyDraft {
  return {
    name: '',
    parent,
    matchers: [newMatcher()],
    ownChannels: true,
    channels: [],
    grouping: 'parent',
    group_by: [],
    group_wait: '',
    group_interval: '',
    repeat_interval: '',
    continue: false,
    mute: [],
    active: [],
  };
}

export function policyDraftOf(policy: Policy): PolicyDraft {
  return {
    name: policy.name,
    parent: policy.parent ?? '',
    matchers: policy.matchers.map(newMatcher),
    ownChannels: policy.channels !== null,
    channels: policy.channels ?? [],
    grouping: groupingOf(policy.group_by),
    group_by: (policy.group_by ?? []).filter((label) => label !== EVERY_LABEL),
    group_wait: policy.group_wait ?? '',
    group_interval: policy.group_interval ?? '',
    repeat_interval: policy.repeat_interval ?? '',
    continue: policy.continue,
    mute: policy.mute.map(intervalDraftOf),
    active: policy.active.map(intervalDraftOf),
  };
}

function groupingOf(groupBy: readonly string[] | null): Grouping {
  if (groupBy === null) return 'parent';
  if (groupBy.length === 0) return 'one';
  return groupBy.includes(EVERY_LABEL) ? 'each' : 'labels';
}

/** What is missing before a policy can be saved, by field; empty if nothing is. The root matches every alert. */
export function missingPolicyParts(
  draft: PolicyDraft,
  isRoot: boolean,
): Partial<Record<'name' | 'matchers' | 'group_by' | 'mute' | 'active', string>> {
  const unrestricted = 'Give each interval times, days, months or years';
  return {
    ...(draft.name.trim() === '' && { name: 'Name the policy' }),
    ...(!isRoot && namedMatchers(draft.matchers).length === 0 && { matchers: 'Name at least one label' }),
    ...(draft.grouping === 'labels' && draft.group_by.length === 0 && { group_by: 'Name at least one label' }),
    ...(draft.mute.some(isUnrestricted) && { mute: unrestricted }),
    ...(draft.active.some(isUnrestricted) && { active: unrestricted }),
  };
}

/** The fields that creating and changing a policy share. */
export function policyBody(draft: PolicyDraft): Omit<Body, 'matchers' | 'parent'> {
  const duration = (text: string) => (text.trim() === '' ? null : text.trim());
  return {
    name: draft.name.trim(),
    channels: draft.ownChannels ? [...draft.channels] : null,
    group_by: groupByOf(draft),
    group_wait: duration(draft.group_wait),
    group_interval: duration(draft.group_interval),
    repeat_interval: duration(draft.repeat_interval),
    continue: draft.continue,
    mute: draft.mute.map(intervalOf),
    active: draft.active.map(intervalOf),
  };
}

function groupByOf({ grouping, group_by }: PolicyDraft): string[] | null {
  switch (grouping) {
    case 'parent':
      return null;
    case 'one':
      return [];
    case 'each':
      return [EVERY_LABEL];
    case 'labels':
      return [...group_by];
  }
}
