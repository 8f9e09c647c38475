import { compile } from '../compile.ts';
import { aggregated } from './aggregation.ts';
import { type Expression, NoEqual } from './ast.ts';
import { operated } from './binary.ts';
import { computed } from './computed.ts';
import type { Context, TranslateOptions } from './context.ts';
import { hasMatching } from './expressions.ts';
import { called } from './functions.ts';
import { parsePromql } from './parse.ts';
import { latestOf, seriesOf, windowOf } from './series.ts';
import { type Filter, stagesOf, type Vector } from './vector.ts';

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
  const context: Context = {
    options,
    isMatching: hasMatching(expression),
    vectorOf: (operand) => vectorOf(context, operand),
    found: { windowSeconds: undefined, hasConditionsInside: false, joins: 0 },
  };
  const translation =
    expression.kind === 'call' && (expression.fn === 'absent' || expression.fn === 'absent_over_time')
      ? absence(context, expression.fn, expression.args[0])
      : threshold(context, expression);
  if (options.purpose === 'record' && !isForSteps(translation))
    throw new NoEqual(
      'it relates several groupings, and a recording rule asks one metric and one grouping for each step of time',
    );
  checkCompiles(translation.query);
  return translation;
}

function vectorOf(context: Context, expression: Expression): Vector {
  switch (expression.kind) {
    case 'number':
      throw new NoEqual('a number by itself has no series');
    case 'text':
      throw new NoEqual('a text is not a vector');
    case 'selector':
      if (expression.rangeSeconds !== undefined) throw new NoEqual('a range of points needs a function such as rate');
      return seriesOf(context, latestOf(expression));
    case 'negative':
      return computed(context, vectorOf(context, expression.of), '-value');
    case 'call':
      return called(context, expression);
    case 'aggregate':
      return aggregated(context, expression);
    case 'binary':
      return operated(context, expression);
  }
}

function threshold(context: Context, expression: Expression): Translation {
  const { stages, filter } = vectorOf(context, expression);
  const { windowSeconds, hasConditionsInside } = context.found;
  return {
    query: stages.join(' | '),
    kind: 'threshold',
    ...(filter && { condition: filter }),
    labels: {},
    ...(windowSeconds !== undefined && { windowSeconds }),
    hasConditionsInside,
  };
}

function absence(context: Context, fn: string, of: Expression | undefined): Translation {
  if (of === undefined) throw new NoEqual(`${fn} needs a vector`);
  const isSelector = of.kind === 'selector';
  if (isSelector !== (fn === 'absent_over_time') && isSelector && of.rangeSeconds !== undefined)
    throw new NoEqual('absent needs an instant vector');
  // Series need not be told apart: any row means that there is one.
  const { stages } = !isSelector
    ? { stages: stagesOf(vectorOf(context, of)) }
    : fn === 'absent'
      ? latestOf(of)
      : windowOf(context, of);
  const names = isSelector ? of.matchers.map(({ label }) => label) : [];
  const labels = isSelector
    ? of.matchers.filter(({ label, op }) => op === '=' && names.filter((name) => name === label).length === 1)
    : [];
  const { windowSeconds } = context.found;
  return {
    query: [...stages, 'stats value=count()', 'where value > 0'].join(' | '),
    kind: 'absence',
    labels: Object.fromEntries(labels.flatMap(({ label, value }) => (value === '' ? [] : [[label, value]]))),
    ...(windowSeconds !== undefined && { windowSeconds }),
    hasConditionsInside: false,
  };
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
