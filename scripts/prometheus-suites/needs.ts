import {
  type Expression,
  type LabelMatcher,
  matchersOf,
  partsOf,
  selectorsOf,
  type VectorSelector,
} from '@fanion/promql';
import { joinedMetrics } from './joined.ts';

/** What expressions read of a metric. */
export interface Need {
  readonly metric: string;
  /** The matchers of each selector. */
  readonly selectors: Map<string, readonly LabelMatcher[]>;
  /** Matchers of metrics whose series join with its own by all of their labels. */
  readonly joined: LabelMatcher[];
  /** Labels that aggregations and joins name. */
  readonly labels: Set<string>;
  /** Numbers in the same expressions, which are often thresholds. */
  readonly numbers: Set<number>;
  /** Those that it equals in a condition. */
  readonly equals: Set<number>;
  isCounter: boolean;
  isTime: boolean;
}

const ofCounters = new Set(['rate', 'irate', 'increase', 'resets']);
const counterName = /_(total|count|sum|bucket)$/;
const timeName = /time|timestamp|expir|created|start/;

/** Labels that each scraped series has. */
const scraped = ['instance', 'job'];

interface Context {
  readonly labels: ReadonlySet<string>;
  readonly isCounter: boolean;
  readonly numbers: readonly number[];
  readonly isTime: boolean;
}

/** The metrics that expressions read, by name. */
export function needsOf(expressions: readonly Expression[]): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  for (const expression of expressions) {
    const isTime = callsOf(expression).includes('time');
    visit(expression, { labels: new Set(), isCounter: false, numbers: numbersOf(expression), isTime }, needs);
  }
  for (const joined of joinedMetrics(expressions)) shareLabels([...joined].flatMap((name) => needs.get(name) ?? []));
  return needs;
}

/** Metrics whose series join by all of their labels have the same ones. */
function shareLabels(needs: readonly Need[]): void {
  const matchers = needs.flatMap(({ selectors }) => [...selectors.values()].flat());
  const labels = [...matchers.map(({ name }) => name), ...needs.flatMap((need) => [...need.labels])];
  for (const need of needs) {
    for (const label of labels) need.labels.add(label);
    need.joined.push(...matchers);
  }
}

export function metricOf(selector: VectorSelector): string | undefined {
  return matchersOf(selector).find(({ name, op }) => name === '__name__' && op === '=')?.value;
}

/** The metrics that an expression reads. */
export function metricsOf(expression: Expression): string[] {
  return selectorsOf(expression).flatMap((selector) => metricOf(selector) ?? []);
}

function visit(expression: Expression, context: Context, needs: Map<string, Need>): void {
  switch (expression.kind) {
    case 'selector':
      note(expression, context, needs);
      return;
    case 'call':
      visitCall(expression, context, needs);
      return;
    case 'aggregate': {
      // Also those that `without` drops: the series must have them.
      const own = expression.grouping?.labels ?? [];
      for (const part of partsOf(expression)) visit(part, withLabels(context, own), needs);
      return;
    }
    case 'binary': {
      const { op, matching, left, right } = expression;
      const joined = withLabels(context, matching?.labels ?? []);
      const { side, include = [] } = matching?.group ?? {};
      visit(left, side === 'right' ? withLabels(joined, include) : joined, needs);
      visit(right, side === 'left' ? withLabels(joined, include) : joined, needs);
      if (op === '==' && left.kind === 'selector' && right.kind === 'number')
        needs.get(metricOf(left) ?? '')?.equals.add(right.value);
      return;
    }
    default:
      for (const part of partsOf(expression)) visit(part, context, needs);
  }
}

function visitCall(call: Extract<Expression, { kind: 'call' }>, context: Context, needs: Map<string, Need>): void {
  const { fn, args } = call;
  const texts = args.flatMap((one) => (one.kind === 'string' ? [one.value] : []));
  let inner = context;
  if (ofCounters.has(fn)) inner = { ...context, isCounter: true };
  if (fn === 'histogram_quantile') inner = withLabels(context, ['le']);
  if (fn === 'label_replace' || fn === 'label_join') {
    const [written = '', ...others] = texts;
    const labels = new Set([...context.labels].filter((name) => name !== written));
    inner = withLabels({ ...context, labels }, fn === 'label_join' ? others.slice(1) : others.slice(1, 2));
  }
  for (const one of args) visit(one, inner, needs);
}

function note(selector: VectorSelector, context: Context, needs: Map<string, Need>): void {
  const metric = metricOf(selector);
  if (metric === undefined) return;
  const matchers = matchersOf(selector).filter(({ name }) => name !== '__name__');
  const need = needs.get(metric) ?? {
    ...{ metric, selectors: new Map(), labels: new Set(scraped), numbers: new Set() },
    ...{ equals: new Set(), joined: [] },
    ...{ isCounter: counterName.test(metric), isTime: false },
  };
  needs.set(metric, need);
  need.selectors.set(JSON.stringify(matchers), matchers);
  for (const label of context.labels) need.labels.add(label);
  for (const number of context.numbers) need.numbers.add(number);
  need.isCounter ||= context.isCounter;
  need.isTime ||= context.isTime && timeName.test(metric);
}

function withLabels(context: Context, labels: readonly string[]): Context {
  return labels.length === 0 ? context : { ...context, labels: new Set([...context.labels, ...labels]) };
}

function numbersOf(expression: Expression): number[] {
  if (expression.kind === 'number') return expression.isDuration === true ? [] : [expression.value];
  return partsOf(expression).flatMap(numbersOf);
}

function callsOf(expression: Expression): string[] {
  return [...(expression.kind === 'call' ? [expression.fn] : []), ...partsOf(expression).flatMap(callsOf)];
}
