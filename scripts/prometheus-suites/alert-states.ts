import {
  noState,
  type Sample,
  type Semantics,
  step,
} from '../../packages/server/src/features/alerting/alert-rules/step-rules.ts';
import { keyOf, type Matrix } from './compare.ts';

type Labels = Readonly<Record<string, string>>;

/** When an alert entered a state: `pending`, `firing` or `inactive`. */
export type Transitions = readonly (readonly [atMs: number, state: string])[];

interface Alert {
  state: 'pending' | 'firing';
  readonly since: number;
  /** When its condition was last true. */
  last: number;
}

/**
 * The states of a rule's alerts as Prometheus keeps them (its `AlertingRule.Eval`), from the answers of a Prometheus at the
 * rule's times: an alert is pending until its condition has been true for `for`, and inactive when it is not, after
 * `keep_firing_for`.
 */
export function prometheusStates(
  matrix: Matrix,
  times: readonly number[],
  { forMs, keepMs }: { readonly forMs: number; readonly keepMs: number },
  ruleLabels: Labels,
): ReadonlyMap<string, Transitions> {
  const present = new Map<string, Set<number>>();
  for (const { metric, values } of matrix) {
    const { __name__: _, ...labels } = metric;
    const key = keyOf({ ...labels, ...ruleLabels });
    // Series that differ in their name alone, such as those of two sides of `or`, are one alert.
    const held = present.get(key) ?? new Set<number>();
    present.set(key, held);
    for (const [at] of values) held.add(Math.round(at * 1000));
  }
  const found = new Map<string, (readonly [number, string])[]>();
  for (const [key, held] of present) {
    const transitions: (readonly [number, string])[] = [];
    let alert: Alert | undefined;
    for (const at of times) {
      const before = alert?.state ?? 'inactive';
      if (held.has(at)) {
        alert ??= { state: 'pending', since: at, last: at };
        alert.last = at;
        if (at - alert.since >= forMs) alert.state = 'firing';
      } else if (alert?.state === 'pending' || (alert !== undefined && at - alert.last > keepMs)) alert = undefined;
      const after = alert?.state ?? 'inactive';
      if (after !== before) transitions.push([at, after]);
    }
    if (transitions.length > 0) found.set(key, transitions);
  }
  return found;
}

/**
 * The same as Fanion's rules keep them, from its answers.
 * @param definition of the import, which waits as `for` and `keep_firing_for` say
 */
export function fanionStates(
  matrix: Matrix,
  times: readonly number[],
  { everyMs, forMs, keepMs }: { readonly everyMs: number; readonly forMs: number; readonly keepMs: number },
  ruleLabels: Labels,
): ReadonlyMap<string, Transitions> {
  const samples = new Map<number, Sample[]>();
  for (const { metric, values } of matrix) {
    const { __name__: _, ...own } = metric;
    const labels = { ...own, ...ruleLabels };
    for (const [at, value] of values) {
      const time = Math.round(at * 1000);
      const all = samples.get(time) ?? [];
      samples.set(time, [...all, { identity: keyOf(labels), labels, value: Number(value), holds: true }]);
    }
  }
  // What an import's rule has, as it compares in its expression.
  const policies = { noData: 'ok', missingSeries: 'resolve', missingIsFalse: true, onError: 'keep' } as const;
  const semantics: Semantics = { everyMs, forMs, keepFiringForMs: keepMs, ...policies };
  const found = new Map<string, (readonly [number, string])[]>();
  let state = noState;
  for (const at of times) {
    const evaluation = { at, outcome: 'answered', samples: samples.get(at) ?? [], delayed: false } as const;
    const stepped = step(semantics, { labels: ruleLabels }, state, evaluation);
    state = stepped.state;
    for (const { identity, to } of stepped.transitions)
      found.set(identity, [...(found.get(identity) ?? []), [at, nameOf(to)] as const]);
  }
  return new Map([...found].map(([key, all]) => [key, changesOf(all)]));
}

/** The same of the answer of Fanion's preview. */
export function previewStates(
  instances: readonly { readonly labels: Labels; readonly transitions: readonly { state: string; at: string }[] }[],
): ReadonlyMap<string, Transitions> {
  return new Map(
    instances.map(({ labels, transitions }) => [
      keyOf(labels),
      changesOf(transitions.map(({ state, at }) => [Date.parse(at), nameOf(state)] as const)),
    ]),
  );
}

/** Prometheus calls an alert that still fires by `keep_firing_for` firing, and one that is over inactive. */
function nameOf(state: string): string {
  if (state === 'recovering') return 'firing';
  return state === 'resolved' ? 'inactive' : state;
}

function changesOf(transitions: Transitions): Transitions {
  return transitions.filter(([, state], at) => state !== (transitions[at - 1]?.[1] ?? 'inactive'));
}

export function differenceOfStates(
  expected: ReadonlyMap<string, Transitions>,
  actual: ReadonlyMap<string, Transitions>,
): string | undefined {
  for (const [key, transitions] of expected) {
    const other = actual.get(key);
    if (JSON.stringify(other) !== JSON.stringify(transitions))
      return `${key}: ${written(other ?? [])}, not ${written(transitions)}`;
  }
  const more = [...actual.keys()].find((key) => !expected.has(key));
  return more === undefined ? undefined : `Prometheus has no alert ${more}`;
}

function written(transitions: Transitions): string {
  return transitions.map(([at, state]) => `${state} at ${new Date(at).toISOString()}`).join(', ') || 'never active';
}
