import type { QueryLanguage } from '@fanion/contract';
import { compilePattern } from '@fanion/flag-engine';
import { readsOf } from '@fanion/oql';
import type { LabelMatcher } from '@fanion/promql';
import { namesIn, translatedName } from '../../telemetry/promql/index.ts';
import { identityOf } from './write-rules.ts';

/** A recording rule as others of its project see it. */
export interface GraphRule {
  /** Null: the rule that is being made. */
  readonly id: string | null;
  /** The metric that it writes. */
  readonly name: string;
  readonly environment: string | null;
  readonly query: string;
  readonly query_language?: QueryLanguage | undefined;
  readonly unit: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A rule of a chain, and the metrics of other rules that it reads. */
export interface GraphNode {
  readonly rule: string | null;
  readonly name: string;
  readonly environment: string | null;
  readonly reads: readonly string[];
}

/** Metrics that Prometheus makes itself, and names that it keeps for itself. */
const reserved = /^(ALERTS|ALERTS_FOR_STATE|__.*)$/;

export function isReserved(name: string): boolean {
  return reserved.test(name);
}

/**
 * The rule that already writes the series that a new one would: the same metric in the same place, unless a fixed label
 * tells them apart. Expressions in PromQL set labels themselves: of these, only rules with the same labels are the same.
 */
export function writerOf(made: GraphRule, others: readonly GraphRule[]): GraphRule | undefined {
  const isPromql = ({ query_language }: GraphRule) => query_language === 'promql';
  return others.find(
    (other) =>
      other.name === made.name &&
      other.environment === made.environment &&
      !(isPromql(made) && isPromql(other)
        ? identityOf(made.labels) !== identityOf(other.labels)
        : areApart(made, other)),
  );
}

function areApart({ labels: own }: GraphRule, { labels }: GraphRule): boolean {
  return Object.entries(labels).some(([label, value]) => Object.hasOwn(own, label) && own[label] !== value);
}

/**
 * The rules through which a new one would read what it writes, in the order in which each reads the next; undefined: it would not.
 * @param others the other rules of its project
 */
export function chainOf(made: GraphRule, others: readonly GraphRule[]): readonly GraphNode[] | undefined {
  const all = [made, ...others];
  const read = new Map<GraphRule, readonly GraphRule[]>();
  const readBy = (rule: GraphRule) => {
    const known = read.get(rule) ?? all.filter(readingOf(rule));
    read.set(rule, known);
    return known;
  };
  // Breadth first: the shortest chain is the one to show.
  const cameFrom = new Map<GraphRule, GraphRule>();
  const waiting: GraphRule[] = [made];
  for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) {
    for (const next of readBy(rule)) {
      if (next === made) return nodesOf(pathTo(rule, cameFrom), readBy);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, rule);
      waiting.push(next);
    }
  }
  return undefined;
}

/** Whether a rule reads what another one writes. Rules without an environment read their whole project. */
function readingOf({ query, query_language, environment }: GraphRule): (other: GraphRule) => boolean {
  const reads = query_language === 'promql' ? readingInPromql(query) : readingInOql(query);
  return (other) => (environment === null || environment === other.environment) && reads(other);
}

function readingInOql(query: string): (other: GraphRule) => boolean {
  const { metrics = [], patterns = [] } = readsOf(query) ?? {};
  const names = new Set(metrics);
  const accepts = patterns.map((pattern) => matching(pattern, true));
  return ({ name }) => names.has(name) || accepts.some((accept) => accept(name));
}

/** A selector without a name reads what its labels match, which is not known here. */
function readingInPromql(query: string): (other: GraphRule) => boolean {
  const selectors = namesIn(query).filter((matchers) => matchers.length > 0);
  const accepts = selectors.map((matchers) => matchers.map(accepting));
  return (other) => promqlNamesOf(other).some((name) => accepts.some((all) => all.every((accept) => accept(name))));
}

function accepting({ op, value }: LabelMatcher): (name: string) => boolean {
  if (op === '=' || op === '!=') return (name) => (name === value) === (op === '=');
  return matching(`^(?:${value})$`, op === '=~');
}

/** Whether a pattern matches a name as wanted. One that cannot be tested may do either. */
function matching(pattern: string, isWanted: boolean): (name: string) => boolean {
  const compiled = compilePattern(pattern, { ignoreCase: false });
  return (name) => typeof compiled === 'string' || compiled.regex.test(name) === isWanted;
}

/** What a rule writes as PromQL reads it: with the name of the rule, or with its words and its unit. */
function promqlNamesOf({ name, unit }: GraphRule): readonly string[] {
  return [name, translatedName({ metric: name, unit, kind: 'gauge', isMonotonic: false })];
}

function pathTo(last: GraphRule, cameFrom: ReadonlyMap<GraphRule, GraphRule>): GraphRule[] {
  const path: GraphRule[] = [];
  for (let rule: GraphRule | undefined = last; rule !== undefined; rule = cameFrom.get(rule)) path.unshift(rule);
  return path;
}

function nodesOf(path: readonly GraphRule[], readBy: (rule: GraphRule) => readonly GraphRule[]): GraphNode[] {
  return path.map((rule) => ({
    rule: rule.id,
    name: rule.name,
    environment: rule.environment,
    reads: [...new Set(readBy(rule).map(({ name }) => name))].sort(),
  }));
}
