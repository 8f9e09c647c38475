import { type Labels, METRIC_NAME } from './labels.ts';

/** Labels that exist once in an evaluation, so that two are equal if they are the same object. */
export interface LabelSet {
  /** By name, in rising order; no value is empty. */
  readonly labels: Labels;
  /** Names and values alternately, in the same order. */
  readonly sorted: readonly string[];
}

/** Labels that an operation changes the meaning of, as Prometheus' `schema.IsMetadataLabel`. */
const METADATA: readonly string[] = [METRIC_NAME, '__type__', '__unit__'];

/** Interns the labels of one evaluation. */
export class LabelSets {
  readonly #known = new Map<string, LabelSet>();
  readonly #nameless = new Map<LabelSet, LabelSet>();
  readonly empty: LabelSet = this.of(new Map());

  of(labels: Labels): LabelSet {
    return this.#ofEntries([...labels]);
  }

  /** With the labels that `keeps` accepts. */
  filtered(set: LabelSet, keeps: (name: string) => boolean): LabelSet {
    return this.#ofEntries([...set.labels].filter(([name]) => keeps(name)));
  }

  with(set: LabelSet, name: string, value: string): LabelSet {
    return this.#ofEntries([...set.labels].filter(([one]) => one !== name).concat([[name, value]]));
  }

  /** Without the metric's name and type. */
  nameless(set: LabelSet): LabelSet {
    let found = this.#nameless.get(set);
    if (found === undefined) {
      found = this.filtered(set, (name) => !METADATA.includes(name));
      this.#nameless.set(set, found);
    }
    return found;
  }

  #ofEntries(entries: [string, string][]): LabelSet {
    const sorted = entries.filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const key = JSON.stringify(sorted);
    let found = this.#known.get(key);
    if (found === undefined) {
      found = { labels: new Map(sorted), sorted: sorted.flat() };
      this.#known.set(key, found);
    }
    return found;
  }
}

export function labelOf({ labels }: LabelSet, name: string): string {
  return labels.get(name) ?? '';
}

export function metricOf(set: LabelSet): string {
  return labelOf(set, METRIC_NAME);
}

/** `{__name__="a", b="c"}` */
export function labelsText(labels: Labels): string {
  return `{${[...labels].map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(', ')}}`;
}

/** Prometheus' order of series: by the first label that differs. */
export function compareLabels(a: LabelSet, b: LabelSet): number {
  const [left, right] = [a.sorted, b.sorted];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const [one = '', other = ''] = [left[i], right[i]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}
