import { type CompiledMatchers, compileStored, type Labels, labelValue, type Matcher } from '../matchers/index.ts';
import { parseTimeInterval, type TimeInterval, type TimeIntervalInput } from './time-interval-rules.ts';

/** A policy as it is stored. What is null is that of its parent, as in Alertmanager. */
export interface Policy {
  readonly id: string;
  /** null: the root. */
  readonly parent: string | null;
  readonly name: string;
  /** Order among the children of one parent. */
  readonly position: number;
  readonly matchers: readonly Matcher[];
  readonly continues: boolean;
  readonly channels: readonly string[] | null;
  readonly groupBy: readonly string[] | null;
  readonly groupWaitMs: number | null;
  readonly groupIntervalMs: number | null;
  readonly repeatIntervalMs: number | null;
  readonly mute: readonly TimeIntervalInput[];
  readonly active: readonly TimeIntervalInput[];
}

/** What holds for the alerts that end at a policy. */
export interface Settings {
  readonly channels: readonly string[];
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly repeatIntervalMs: number;
  /** Not inherited. */
  readonly mute: readonly TimeInterval[];
  readonly active: readonly TimeInterval[];
}

export interface Route {
  readonly id: string;
  readonly name: string;
  readonly continues: boolean;
  readonly matchers: CompiledMatchers;
  readonly settings: Settings;
  readonly children: readonly Route[];
}

/** In `group_by`: each set of labels is a group of its own. */
export const everyLabel = '...';

/** What holds where no policy says otherwise: Alertmanager's intervals. */
export const defaultSettings: Settings = {
  channels: [],
  groupBy: ['alertname'],
  groupWaitMs: 30_000,
  groupIntervalMs: 300_000,
  repeatIntervalMs: 4 * 3_600_000,
  mute: [],
  active: [],
};

export interface Tree {
  readonly root: Route;
  readonly byId: ReadonlyMap<string, Route>;
  /** What routing one alert costs for each character of its labels: instructions of all patterns. */
  readonly size: number;
}

/** Builds the tree of a workspace. Undefined: it has no root yet. */
export function treeOf(policies: readonly Policy[]): Tree | undefined {
  const children = new Map<string | null, Policy[]>();
  for (const policy of policies) {
    const siblings = children.get(policy.parent);
    if (siblings === undefined) children.set(policy.parent, [policy]);
    else siblings.push(policy);
  }
  const byId = new Map<string, Route>();
  let size = 0;

  function routeOf(policy: Policy, inherited: Settings): Route {
    const matchers = compileStored(policy.matchers);
    size += matchers.size;
    const settings: Settings = {
      channels: policy.channels ?? inherited.channels,
      groupBy: policy.groupBy ?? inherited.groupBy,
      groupWaitMs: policy.groupWaitMs ?? inherited.groupWaitMs,
      groupIntervalMs: policy.groupIntervalMs ?? inherited.groupIntervalMs,
      repeatIntervalMs: policy.repeatIntervalMs ?? inherited.repeatIntervalMs,
      mute: policy.mute.map(parseTimeInterval),
      active: policy.active.map(parseTimeInterval),
    };
    const below = (children.get(policy.id) ?? []).sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
    const { id, name, continues } = policy;
    const route = { id, name, continues, matchers, settings, children: below.map((child) => routeOf(child, settings)) };
    byId.set(id, route);
    return route;
  }

  const [root] = children.get(null) ?? [];
  if (root === undefined) return undefined;
  const top = routeOf(root, defaultSettings);
  return { root: top, byId, size };
}

/**
 * Where an alert goes: depth first, the first child that matches, further ones where a child continues, and the policy
 * itself where none of its children matches.
 */
export function matchRoutes(route: Route, labels: Labels): Route[] {
  if (!route.matchers.match(labels)) return [];
  const found: Route[] = [];
  for (const child of route.children) {
    const below = matchRoutes(child, labels);
    found.push(...below);
    if (below.length > 0 && !child.continues) break;
  }
  return found.length > 0 ? found : [route];
}

/** The labels that an alert shares with its group. A label that the alert does not have is left out. */
export function groupLabelsOf({ groupBy }: Pick<Settings, 'groupBy'>, labels: Labels): Labels {
  const names = groupBy.includes(everyLabel) ? Object.keys(labels) : groupBy;
  const found = names.map((name) => [name, labelValue(labels, name)] as const).filter(([, value]) => value !== '');
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** The same text for equal labels. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Whether `parent` is the policy itself, or below it: it cannot be its parent. */
export function closesCircle(policies: readonly Pick<Policy, 'id' | 'parent'>[], id: string, parent: string): boolean {
  const parents = new Map(policies.map((policy) => [policy.id, policy.parent]));
  for (let at: string | null = parent, steps = 0; at !== null && steps <= policies.length; steps++) {
    if (at === id) return true;
    at = parents.get(at) ?? null;
  }
  return false;
}

/** How many policies stand above one whose parent this is. */
export function depthBelow(policies: readonly Pick<Policy, 'id' | 'parent'>[], parent: string): number {
  const parents = new Map(policies.map((policy) => [policy.id, policy.parent]));
  let depth = 0;
  for (let at: string | null = parent; at !== null && depth <= policies.length; at = parents.get(at) ?? null) depth++;
  return depth;
}

/** When a group is flushed for the first time: after `group_wait`, and at once if the alert is older than that. */
export function firstFlushAt(
  { startedAt, groupWaitMs }: { startedAt: number; groupWaitMs: number },
  now: number,
): number {
  return startedAt + groupWaitMs < now ? now : now + groupWaitMs;
}
