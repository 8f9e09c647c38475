import { compile } from '../compile.ts';
import { type Expression, NoEqual, type Selector } from './ast.ts';
import { matched } from './matching.ts';
import { parsePromql } from './parse.ts';
import { durationText, labelField, sourceStages } from './selector.ts';
import { type Filter, numberText, type Points, stagesOf, type Vector } from './vector.ts';

export { NoEqual } from './ast.ts';

export interface TranslateOptions {
  /**
   * All labels that series can have. An expression that keeps the labels of its series needs them, since OQL groups by
   * names; names that a series does not have do no harm. Undefined: they are not known.
   */
  readonly labels?: readonly string[];
  /** `alert`: asked for one window; `record`: asked for each step of time, which OQL does for one grouping. */
  readonly purpose: 'alert' | 'record';
}

/** A PromQL expression as an OQL query, evaluated at the end of the query's window. */
export interface Translation {
  readonly query: string;
  /** `absence`: the query has no rows when PromQL's `absent` has its one. */
  readonly kind: 'threshold' | 'absence';
  /** The comparison that the expression ends with; absent if each row means something by itself. */
  readonly condition?: Filter;
  /** Labels that the row of `absent` has. */
  readonly labels: Readonly<Record<string, string>>;
  /** The width of the window that the query must be asked for; absent if any will do. */
  readonly windowSeconds?: number;
  /** Rows that do not fulfil a condition inside the query are missing, not false. */
  readonly hasConditionsInside: boolean;
}

/**
 * Translates a PromQL expression so that its numbers and labels stay the same.
 *
 * @throws NoEqual with the reason for everything that has no exact equal
 */
export function translatePromql(text: string, options: TranslateOptions): Translation {
  const expression = parsePromql(text);
  const translator = new Translator(options, hasMatching(expression));
  const translation = translator.translate(expression);
  if (options.purpose === 'record' && !isForSteps(translation))
    throw new NoEqual(
      'it relates several groupings, and a recording rule asks one metric and one grouping for each step of time',
    );
  checkCompiles(translation.query);
  return translation;
}

/** Names of all labels that an expression mentions. */
export function labelsIn(text: string): string[] {
  const found = new Set<string>();
  const visit = (expression: Expression): void => {
    switch (expression.kind) {
      case 'selector':
        for (const { label } of expression.matchers) found.add(label);
        return;
      case 'call':
        expression.args.forEach(visit);
        return;
      case 'aggregate':
        for (const label of expression.grouping.labels) found.add(label);
        expression.args.forEach(visit);
        return;
      case 'binary':
        for (const label of expression.matching?.labels ?? []) found.add(label);
        for (const label of expression.matching?.group?.include ?? []) found.add(label);
        visit(expression.left);
        visit(expression.right);
        return;
      case 'negative':
        visit(expression.of);
        return;
      default:
        return;
    }
  };
  visit(parsePromql(text));
  return [...found];
}

function hasMatching(expression: Expression): boolean {
  switch (expression.kind) {
    case 'binary':
      return (
        (constantOf(expression.left) === undefined && constantOf(expression.right) === undefined) ||
        hasMatching(expression.left) ||
        hasMatching(expression.right)
      );
    case 'call':
    case 'aggregate':
      return expression.args.some(hasMatching);
    case 'negative':
      return hasMatching(expression.of);
    default:
      return false;
  }
}

function isForSteps({ query, kind, windowSeconds, condition, hasConditionsInside }: Translation): boolean {
  const stages = query.split(' | ');
  return (
    kind === 'threshold' &&
    windowSeconds === undefined &&
    condition === undefined &&
    !hasConditionsInside &&
    stages.filter((stage) => stage.startsWith('stats ')).length === 1 &&
    !stages.some((stage) => /^(join|union|top) /.test(stage))
  );
}

/** The translation is a query of ours: what is wrong in it came in with a name or a pattern. */
function checkCompiles(query: string): void {
  const compiled = compile(query, {
    scope: { workspace: 1, project: 1 },
    window: { fromNs: 1_795_100_000_000_000_000n, toNs: 1_795_100_300_000_000_000n },
    limit: 1,
    nowNs: 1_795_100_300_000_000_000n,
  });
  if (!compiled.ok) throw new NoEqual(`OQL refuses the translation: ${compiled.diagnostics[0]?.message ?? query}`);
}

/** The value of an expression of numbers. */
export function constantOf(expression: Expression): number | undefined {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'negative': {
      const of = constantOf(expression.of);
      return of === undefined ? undefined : -of;
    }
    case 'binary': {
      const [left, right] = [constantOf(expression.left), constantOf(expression.right)];
      if (left === undefined || right === undefined) return undefined;
      switch (expression.op) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
          return left * right;
        case '/':
          return left / right;
        case '^':
          return left ** right;
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}

const flipped = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=' } as const;
const overTime: Readonly<Record<string, string>> = {
  avg_over_time: 'avg(value)',
  min_over_time: 'min(value)',
  max_over_time: 'max(value)',
  sum_over_time: 'sum(value)',
  count_over_time: 'count()',
  last_over_time: 'last(value)',
  present_over_time: 'count()',
};
const rates: Readonly<Record<string, string>> = {
  rate: 'promrate',
  increase: 'promincrease',
  irate: 'irate',
  deriv: 'deriv',
};
const aggregates: Readonly<Record<string, string>> = {
  sum: 'sum(value)',
  avg: 'avg(value)',
  min: 'min(value)',
  max: 'max(value)',
  count: 'count()',
  group: 'count()',
};
/** What PromQL reads for an instant vector. */
const lookback = '5m';

class Translator {
  readonly #options: TranslateOptions;
  /** Labels are compared with those of other rows: a missing one must then equal a missing one. */
  readonly #isMatching: boolean;
  #windowSeconds: number | undefined;
  #hasConditionsInside = false;
  #names = 0;

  constructor(options: TranslateOptions, isMatching: boolean) {
    this.#options = options;
    this.#isMatching = isMatching;
  }

  translate(expression: Expression): Translation {
    if (expression.kind === 'call' && (expression.fn === 'absent' || expression.fn === 'absent_over_time'))
      return this.#absent(expression.args[0], expression.fn);
    const vector = this.#vector(expression);
    return {
      query: vector.stages.join(' | '),
      kind: 'threshold',
      ...(vector.filter && { condition: vector.filter }),
      labels: {},
      ...(this.#windowSeconds !== undefined && { windowSeconds: this.#windowSeconds }),
      hasConditionsInside: this.#hasConditionsInside,
    };
  }

  #absent(of: Expression | undefined, fn: string): Translation {
    if (of === undefined) throw new NoEqual(`${fn} needs a vector`);
    const isSelector = of.kind === 'selector';
    if (isSelector !== (fn === 'absent_over_time') && isSelector && of.rangeSeconds !== undefined)
      throw new NoEqual('absent needs an instant vector');
    const points = isSelector
      ? this.#pointsOf(of, fn === 'absent' ? [`latest ${lookback}`] : this.#overTime(of))
      : undefined;
    // Series need not be told apart: any row means that there is one.
    const stages = points?.stages ?? stagesOf(this.#vector(of));
    const names = isSelector ? of.matchers.map(({ label }) => label) : [];
    const labels = isSelector
      ? of.matchers.filter(({ label, op }) => op === '=' && names.filter((name) => name === label).length === 1)
      : [];
    return {
      query: [...stages, 'stats value=count()', 'where value > 0'].join(' | '),
      kind: 'absence',
      labels: Object.fromEntries(labels.flatMap(({ label, value }) => (value === '' ? [] : [[label, value]]))),
      ...(this.#windowSeconds !== undefined && { windowSeconds: this.#windowSeconds }),
      hasConditionsInside: false,
    };
  }

  #vector(expression: Expression): Vector {
    switch (expression.kind) {
      case 'number':
        throw new NoEqual('a number by itself has no series');
      case 'text':
        throw new NoEqual('a text is not a vector');
      case 'selector':
        if (expression.rangeSeconds !== undefined) throw new NoEqual('a range of points needs a function such as rate');
        return this.#series(this.#pointsOf(expression, [`latest ${lookback}`]));
      case 'negative':
        return this.#computed(this.#vector(expression.of), '-value');
      case 'call':
        return this.#call(expression.fn, expression.args);
      case 'aggregate':
        return this.#aggregate(expression);
      case 'binary':
        return this.#binary(expression);
    }
  }

  #pointsOf(selector: Selector, stages: readonly string[]): Points {
    const { metric, matchers } = selector;
    const areBuckets = metric.endsWith('_bucket') && !matchers.some(({ label }) => label === 'le');
    return { stages: [...sourceStages(selector), ...stages], metric, areBuckets };
  }

  /** Each series with its labels. Two series that differ in a label that is not known fail: they have the same labels. */
  #series(points: Points, value = 'any(value)'): Vector {
    const { labels } = this.#options;
    if (labels === undefined)
      throw new NoEqual(
        'its result has all labels of its series, which are not known: name them with --labels, or connect to the server',
      );
    if (points.areBuckets && !labels.includes('le')) throw this.#noBound(points.metric);
    const known = [...labels].filter((label) => label !== '__name__').sort();
    const stages = [...points.stages, `stats value=${value} by series${this.#keys(known, true)}`, 'omit series'];
    return { stages, labels: known, points };
  }

  #noBound(metric: string): NoEqual {
    return new NoEqual(
      `${metric} has the buckets of histograms: OQL reads them as histograms unless the query names \`le\``,
    );
  }

  /** `, a, b`: the labels as keys of a grouping. */
  #keys(labels: readonly string[], ofPoints: boolean): string {
    return labels.map((label) => `, ${this.#key(label, ofPoints)}`).join('');
  }

  #key(label: string, ofPoints: boolean): string {
    const field = labelField(label);
    if (!ofPoints) return label;
    if (this.#isMatching) return `${label}=coalesce(string(attr.${label}), "")`;
    return field === label ? label : `${label}=${field}`;
  }

  #overTime({ rangeSeconds, offsetSeconds }: Selector): readonly string[] {
    if (rangeSeconds === undefined) throw new NoEqual('a function over time needs a range, as in x[5m]');
    if (offsetSeconds !== 0) throw new NoEqual('OQL has no function over time with an offset');
    if (this.#options.purpose === 'record')
      throw new NoEqual('a recording rule reads one step of time, and a function over time another range');
    if (this.#windowSeconds !== undefined && this.#windowSeconds !== rangeSeconds)
      throw new NoEqual('it has functions over two different ranges of time');
    this.#windowSeconds = rangeSeconds;
    return [];
  }

  #call(fn: string, args: readonly Expression[]): Vector {
    const [first] = args;
    if (first === undefined) throw new NoEqual(`OQL has no equal of ${fn}()`);
    const rate = Object.hasOwn(rates, fn) ? rates[fn] : undefined;
    if (rate !== undefined) return this.#ranged(rate, first);
    const aggregate = Object.hasOwn(overTime, fn) ? overTime[fn] : undefined;
    if (aggregate !== undefined) {
      if (first.kind !== 'selector') throw new NoEqual(`${fn} needs a range of points`);
      const { points: _, ...vector } = this.#series(this.#pointsOf(first, this.#overTime(first)), aggregate);
      return fn === 'present_over_time' ? this.#computed(vector, '1') : vector;
    }
    switch (fn) {
      case 'predict_linear': {
        const seconds = args[1] === undefined ? undefined : constantOf(args[1]);
        if (first.kind !== 'selector' || first.rangeSeconds === undefined || seconds === undefined || seconds <= 0)
          throw new NoEqual('predict_linear needs a range of points and a number of seconds ahead');
        const stage = `predict ${durationText(seconds)} over ${durationText(first.rangeSeconds)}`;
        return this.#series(this.#pointsOf(first, [stage]));
      }
      case 'histogram_quantile':
        return this.#quantile(args);
      case 'abs':
      case 'ceil':
      case 'floor':
      case 'exp':
        return this.#computed(this.#vector(first), `${fn}(value)`);
      case 'round':
        if (args.length > 1) throw new NoEqual('OQL rounds to digits, not to multiples');
        return this.#computed(this.#vector(first), 'floor(value + 0.5)');
      case 'clamp_min':
      case 'clamp_max': {
        const bound = args[1] === undefined ? undefined : finite(constantOf(args[1]));
        if (bound === undefined) throw new NoEqual(`${fn} needs a number`);
        const text = numberText(bound);
        return this.#computed(
          this.#vector(first),
          `if(value ${fn === 'clamp_min' ? '<' : '>'} ${text}, ${text}, value)`,
        );
      }
      case 'sort':
      case 'sort_desc':
        // The order of a vector means nothing in a rule.
        return this.#vector(first);
      default:
        throw new NoEqual(`OQL has no equal of ${fn}()`);
    }
  }

  #ranged(stage: string, of: Expression): Vector {
    if (of.kind !== 'selector' || of.rangeSeconds === undefined) throw new NoEqual(`${stage} needs a range of points`);
    return this.#series(this.#pointsOf(of, [`${stage} ${durationText(of.rangeSeconds)}`]));
  }

  /** The points of a vector that need not be grouped by series before they are grouped by other keys. */
  #ungrouped(expression: Expression): Points | undefined {
    if (expression.kind === 'selector' && expression.rangeSeconds === undefined)
      return this.#pointsOf(expression, [`latest ${lookback}`]);
    if (expression.kind !== 'call') return undefined;
    const [of] = expression.args;
    const stage = Object.hasOwn(rates, expression.fn) ? rates[expression.fn] : undefined;
    if (stage === undefined || of?.kind !== 'selector' || of.rangeSeconds === undefined) return undefined;
    return this.#pointsOf(of, [`${stage} ${durationText(of.rangeSeconds)}`]);
  }

  #aggregate({ op, grouping, args }: Extract<Expression, { kind: 'aggregate' }>): Vector {
    const of = args.at(-1);
    if (of === undefined) throw new NoEqual(`${op} needs a vector`);
    if (op === 'topk' || op === 'bottomk') {
      const k = args.length < 2 || args[0] === undefined ? undefined : constantOf(args[0]);
      if (k === undefined || !Number.isInteger(k) || k < 1) throw new NoEqual(`${op} needs a whole number`);
      if (grouping.labels.length > 0) throw new NoEqual(`OQL has no ${op} within groups`);
      const vector = this.#unfiltered(this.#vector(of));
      return { stages: [...vector.stages, `top ${k} by ${op === 'topk' ? '' : '-'}value`], labels: vector.labels };
    }
    const level = op === 'quantile' && args[0] !== undefined ? constantOf(args[0]) : undefined;
    const aggregate =
      op === 'quantile' ? quantileOf(level) : Object.hasOwn(aggregates, op) ? aggregates[op] : undefined;
    if (aggregate === undefined) throw new NoEqual(`OQL has no equal of ${op}`);
    const points = this.#ungrouped(of);
    const inner = points === undefined ? this.#unfiltered(this.#vector(of)) : undefined;
    const labels = this.#grouped(grouping, inner?.labels);
    if (points?.areBuckets && !labels.includes('le')) throw this.#noBound(points.metric);
    const vector = this.#group(points?.stages ?? inner?.stages ?? [], aggregate, labels, points !== undefined);
    return op === 'group' ? this.#computed(vector, '1') : vector;
  }

  /** The labels of a grouping. */
  #grouped({ mode, labels }: { mode: 'by' | 'without'; labels: readonly string[] }, of?: readonly string[]): string[] {
    const own = [...new Set(labels)].filter((label) => label !== '__name__');
    if (mode === 'by') return of === undefined ? own : own.filter((label) => of.includes(label));
    const all = of ?? this.#options.labels;
    if (all === undefined)
      throw new NoEqual(
        'it groups by all labels but some, and the labels of its series are not known: name them with --labels, or connect to the server',
      );
    return [...all].filter((label) => !own.includes(label) && label !== '__name__').sort();
  }

  #group(stages: readonly string[], aggregate: string, labels: readonly string[], ofPoints: boolean): Vector {
    // Without keys OQL has a row even where there is nothing to group, and PromQL has none.
    if (labels.length === 0)
      return { stages: [...stages, `stats value=${aggregate}, rows=count()`, 'where rows > 0', 'omit rows'], labels };
    const keys = labels.map((label) => this.#key(label, ofPoints)).join(', ');
    return { stages: [...stages, `stats value=${aggregate} by ${keys}`], labels };
  }

  #quantile([levelOf, of]: readonly Expression[]): Vector {
    const level = levelOf === undefined ? undefined : constantOf(levelOf);
    const aggregate = quantileOf(level);
    if (aggregate === undefined || of === undefined) throw new NoEqual('histogram_quantile needs a level from 0 to 1');
    const isSummed = of.kind === 'aggregate' && of.op === 'sum' && of.args.length === 1;
    const points = this.#ungrouped(isSummed ? (of.args[0] ?? of) : of);
    if (points === undefined || !/^(promrate|promincrease) /.test(points.stages.at(-1) ?? ''))
      throw new NoEqual('histogram_quantile needs rate or increase of buckets, or their sum');
    const isClassic = points.metric.endsWith('_bucket');
    if (isClassic && !points.areBuckets) throw new NoEqual('histogram_quantile of selected buckets');
    if (!isSummed) {
      const labels = this.#options.labels?.filter((label) => label !== 'le' && label !== '__name__');
      if (labels === undefined)
        throw new NoEqual(
          'its result has all labels of its series, which are not known: name them with --labels, or connect to the server',
        );
      const keys = this.#keys([...labels].sort(), true);
      return { stages: [...points.stages, `stats value=${aggregate} by series${keys}`, 'omit series'], labels };
    }
    const all = this.#grouped(of.grouping);
    const keepsBound = of.grouping.mode === 'by' ? all.includes('le') : !of.grouping.labels.includes('le');
    if (isClassic && !keepsBound)
      throw new NoEqual('the sum drops the label le, so nothing is left to compute a quantile of');
    return this.#group(
      points.stages,
      aggregate,
      all.filter((label) => label !== 'le'),
      true,
    );
  }

  #computed(of: Vector, value: string): Vector {
    const { stages, labels } = this.#unfiltered(of);
    return { stages: [...stages, `extend value = ${value}`], labels };
  }

  /** A comparison that something follows: rows that do not fulfil it are gone. */
  #unfiltered(vector: Vector): Vector {
    if (vector.filter !== undefined) this.#hasConditionsInside = true;
    return { stages: stagesOf(vector), labels: vector.labels };
  }

  #binary(expression: Extract<Expression, { kind: 'binary' }>): Vector {
    const { op, bool, left, right } = expression;
    const [a, b] = [constantOf(left), constantOf(right)];
    if (a !== undefined && b !== undefined) throw new NoEqual('an expression of numbers has no series');
    if (a === undefined && b === undefined) {
      const isSet = op === 'and' || op === 'or' || op === 'unless';
      const [one, other] = [this.#vector(left), this.#vector(right)];
      if (isSet) this.#hasConditionsInside = true;
      const kept = isSet && op !== 'or' ? one : this.#unfiltered(one);
      return matched(
        op,
        bool,
        expression.matching,
        kept,
        this.#unfiltered(other),
        () => `r${++this.#names}`,
        (x, y) => arithmetic(op, x, y),
      );
    }
    const number = finite(a ?? b);
    if (number === undefined) throw new NoEqual('OQL has no NaN or infinity');
    const vector = this.#vector(a === undefined ? left : right);
    if (isComparison(op)) {
      const filter: Filter = { op: a === undefined ? op : flipped[op], threshold: number };
      if (bool) return this.#computed(vector, `if(value ${filter.op} ${numberText(number)}, 1, 0)`);
      const { stages, labels } = this.#unfiltered(vector);
      return { stages, labels, filter };
    }
    const text = number < 0 ? `(${numberText(number)})` : numberText(number);
    return this.#computed(vector, a === undefined ? arithmetic(op, 'value', text) : arithmetic(op, text, 'value'));
  }
}

function isComparison(op: string): op is Filter['op'] {
  return Object.hasOwn(flipped, op);
}

function finite(value: number | undefined): number | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

function quantileOf(level: number | undefined): string | undefined {
  return level === undefined || !(level >= 0 && level <= 1) ? undefined : `quantile(value, ${numberText(level)})`;
}

/** In PromQL a number divided by zero is infinite, and zero divided by zero is NaN; in OQL both are null. */
function arithmetic(op: string, left: string, right: string): string {
  switch (op) {
    case '+':
    case '-':
    case '*':
      return `${left} ${op} ${right}`;
    case '/':
      return /^\(?-?[0-9.e-]+\)?$/.test(right) && Number(right.replace(/[()]/g, '')) !== 0
        ? `${left} / ${right}`
        : `if(${right} == 0, ${left} * exp(1000), ${left} / ${right})`;
    case '^':
      return `pow(${left}, ${right})`;
    default:
      throw new NoEqual(`OQL has no equal of ${op}`);
  }
}
