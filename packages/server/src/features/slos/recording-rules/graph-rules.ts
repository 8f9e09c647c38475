import { compilePattern } from '@fanion/flag-engine';
import { readsOf } from '@fanion/oql';

/** A recording rule as others of its project see it. */
export interface GraphRule {
  /** Null: the rule that is being made. */
  readonly id: string | null;
  /** The metric that it writes. */
  readonly name: string;
  readonly environment: string | null;
  readonly query: string;
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

/** The rule that already writes the series that a new one would: the same metric in the same place, unless a fixed label tells them apart. */
export function writerOf(made: GraphRule, others: readonly GraphRule[]): GraphRule | undefined {
  return others.find(
    ({ name, environment, labels }) =>
      name === made.name &&
      environment === made.environment &&
      !Object.entries(labels).some(
        ([label, value]) => Object.hasOwn(made.labels, label) && made.labels[label] !== value,
      ),
  );
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
function readingOf({ query, environment }: GraphRule): (other: GraphRule) => boolean {
  const { metrics = [], patterns = [] } = readsOf(query) ?? {};
  const names = new Set(metrics);
  const compiled = patterns.map((pattern) => compilePattern(pattern, { ignoreCase: false }));
  return ({ name, environment: writes }) =>
    (environment === null || environment === writes) &&
    // A pattern that cannot be tested may match.
    (names.has(name) || compiled.some((pattern) => typeof pattern === 'string' || pattern.regex.test(name)));
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
