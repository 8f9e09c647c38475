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

/** Recording rules in an order in which each comes after those that it reads. */
export function inOrder(rules: readonly Rule[]): Rule[] {
  const names = new Map(rules.map((rule) => [rule.name, rule]));
  const placed = new Set<Rule>();
  const place = (rule: Rule, path: readonly Rule[]): void => {
    if (placed.has(rule) || path.includes(rule)) return;
    for (const metric of metricsOf(rule.expression)) {
      const read = names.get(metric);
      if (read !== undefined) for (const one of rules) if (one.name === metric) place(one, [...path, rule]);
    }
    placed.add(rule);
  };
  for (const rule of rules) place(rule, []);
  return [...placed];
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
