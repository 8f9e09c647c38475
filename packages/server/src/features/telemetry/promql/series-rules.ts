import type { Labels } from '@fanion/promql';
import { type Family, labelName, scopePrefix } from './name-rules.ts';

/** A series as the store describes it. */
export interface StoredSeries {
  readonly id: string;
  readonly family: Family;
  readonly job: string;
  readonly instance: string;
  readonly scopeName: string;
  readonly scopeVersion: string;
  readonly scopeSchemaUrl: string;
  readonly scopeAttributes: readonly (readonly [key: string, value: string])[];
  readonly attributes: readonly (readonly [key: string, value: string])[];
}

type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * The labels of a series without its name, in the order of their names. Those of remote write are as they were sent. Of
 * OTLP, the resource is `job` and `instance`, and the scope has labels that begin with `otel_scope_`.
 */
export function labelsOf(series: StoredSeries): Pairs {
  const { family, attributes, job, instance, scopeName, scopeVersion, scopeSchemaUrl, scopeAttributes } = series;
  if (family.isWritten) return byName(attributes);
  const labels = translated(attributes, '');
  const named: Pairs = [
    ['job', job],
    ['instance', instance],
    ['otel_scope_name', scopeName],
    ['otel_scope_version', scopeVersion],
    ['otel_scope_schema_url', scopeSchemaUrl],
  ];
  for (const [name, value] of translated(scopeAttributes, scopePrefix)) labels.set(name, value);
  for (const [name, value] of named) if (value !== '') labels.set(name, value);
  return byName([...labels]);
}

/** Attributes with the same label are joined in the order of their keys, as the specification says. */
export function translated(attributes: Pairs, prefix: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [key, value] of byName(attributes)) {
    const name = prefix + labelName(key);
    const before = labels.get(name);
    if (value !== '') labels.set(name, before === undefined ? value : `${before};${value}`);
  }
  return labels;
}

function byName(pairs: Pairs): Pairs {
  return pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Labels with a name, and one of a part of a histogram. */
export function namedLabels(name: string, labels: Pairs, part?: readonly [name: string, value: string]): Labels {
  const all = new Map([['__name__', name], ...labels]);
  if (part !== undefined) all.set(...part);
  return all;
}

/** The same for equal labels. */
export function keyOf(labels: Labels): string {
  return JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
}
