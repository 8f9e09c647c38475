import { type Expression, parsePromql } from '@fanion/promql';
import type { TestSeries } from '../../packages/telemetry/src/testing/remote-write.ts';
import { keyOf, type Matrix } from './compare.ts';
import { metricsOf } from './needs.ts';

export interface Rule {
  readonly kind: 'alert' | 'record';
  /** The file it comes from. */
  readonly suite: string;
  readonly where: string;
  readonly name: string;
  readonly query: string;
  readonly expression: Expression;
  readonly labels: Readonly<Record<string, string>>;
  /** The document of the import. */
  readonly content: Readonly<Record<string, unknown>>;
}

export function ruleOf(kind: Rule['kind'], where: string, content: Readonly<Record<string, unknown>>): Rule {
  const query = String(content.query);
  const labels = Object.fromEntries(Object.entries(content.labels ?? {}).map(([name, value]) => [name, String(value)]));
  const [suite = where] = where.split(':');
  const name = String(content.name);
  return { kind, suite, where, name, query, expression: parsePromql(query), labels, content };
}

/** Recording rules in groups, each of which reads only what the groups before it write. */
export function inOrder(rules: readonly Rule[]): Rule[][] {
  const levels = new Map<string, number>();
  const levelOf = (name: string, path: readonly string[]): number => {
    const known = levels.get(name);
    if (known !== undefined || path.includes(name)) return known ?? 0;
    const read = rules.filter((rule) => rule.name === name).flatMap(({ expression }) => metricsOf(expression));
    const recorded = read.filter((metric) => rules.some((rule) => rule.name === metric));
    const level = Math.max(-1, ...recorded.map((metric) => levelOf(metric, [...path, name]))) + 1;
    levels.set(name, level);
    return level;
  };
  const groups: Rule[][] = [];
  for (const rule of rules) {
    const level = levelOf(rule.name, []);
    groups[level] = [...(groups[level] ?? []), rule];
  }
  return groups;
}

/** The series that a recording rule writes, with a marker where a series is no longer among the answers. */
export function recordedSeries(rule: Rule, matrix: Matrix, times: readonly number[]): TestSeries[] {
  const merged = new Map<string, { labels: Record<string, string>; values: Map<number, number> }>();
  for (const { metric, values } of matrix) {
    const labels = { ...metric, ...rule.labels, __name__: rule.name };
    const one = merged.get(keyOf(labels)) ?? { labels, values: new Map<number, number>() };
    merged.set(keyOf(labels), one);
    for (const [at, value] of values) one.values.set(Math.round(at * 1000), numberOf(value));
  }
  return [...merged.values()].map(({ labels, values }) => ({
    labels,
    samples: times.flatMap((time, at) => {
      const value = values.get(time);
      if (value !== undefined) return [{ time, value }];
      return values.has(times[at - 1] ?? 0) ? [{ time, value: 0, stale: true }] : [];
    }),
  }));
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
