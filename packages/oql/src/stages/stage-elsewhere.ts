import { isNumber } from '../check/call-elsewhere.ts';
import type { Context } from '../check/context.ts';
import type { Relation } from '../check/relation.ts';
import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { Expression, StageOf } from '../syntax/ast.ts';
import { printAliased, printExpression } from '../syntax/print.ts';

const RANGES: ReadonlySet<string> = new Set([
  'rate',
  'increase',
  'delta',
  'irate',
  'promrate',
  'promincrease',
  'deriv',
]);

/**
 * Reports a stage that is a call in another language, such as `topk(5)` or `sum(rate(5m))`, with what OQL writes instead.
 * @returns whether it is one
 */
export function reportStageElsewhere(stage: StageOf<'aggregate'>, input: Relation, ctx: Context): boolean {
  const found = formOf(stage, input);
  if (found === undefined) return false;
  const written = { start: stage.start, end: stage.end };
  const message = `${found.says}${found.oql === undefined ? '' : `: write \`${found.oql}\``}.`;
  ctx.error(
    'UNKNOWN_STAGE',
    stage.name,
    message,
    found.oql === undefined ? undefined : replaceWith(written, found.oql),
  );
  return true;
}

interface Found {
  readonly says: string;
  readonly oql?: string;
}

function formOf(stage: StageOf<'aggregate'>, input: Relation): Found | undefined {
  const { name, args, by } = stage;
  const items = args?.items ?? [];
  const [first, second] = items;
  const keys = by.map(printAliased);
  const behind = (more: readonly string[] = []) =>
    [...more, ...keys].length > 0 ? ` by ${[...more, ...keys].join(', ')}` : '';
  const word = name.text.toLowerCase();
  if (first?.kind === 'call' && RANGES.has(first.name.text) && items.length === 1) {
    const [time] = first.args.items;
    const range = time?.kind === 'duration' ? ` ${printExpression(time)}` : '';
    return {
      says: 'A range function is a stage before the aggregate',
      oql: `${first.name.text}${range} | ${name.text}${behind()}`,
    };
  }
  switch (word) {
    case 'topk':
    case 'bottomk': {
      const sign = word === 'topk' ? '' : '-';
      const of = second ? printExpression(second) : largest(input);
      const says = `There is no stage \`${name.text}\``;
      if (!isNumber(first) || of === undefined)
        return {
          says: `${says}: the ${sign ? 'smallest' : 'largest'} groups are \`stats n=count() by name | top 5 by ${sign}n\``,
        };
      return { says, oql: `top ${printExpression(first)} by ${sign}${of}` };
    }
    case 'group':
      return { says: 'Groups are made by an aggregate', oql: `count${behind()}` };
    case 'count_over_time':
    case 'rate':
      return overTime(items, behind, word === 'rate' ? 'rate=count()/window' : 'n=count()');
    case 'histogram_quantile':
      return isNumber(first)
        ? { says: 'There is no `histogram_quantile`', oql: `quantile(value, ${printExpression(first)})${behind()}` }
        : undefined;
    case 'quantile_over_time': {
      const [level, of] = isNumber(first) ? [first, second] : [second, first];
      if (!isNumber(level)) return undefined;
      const field = of && of.kind !== 'duration' ? printExpression(of) : (input.rows?.subject ?? 'value');
      return overTime(items, behind, `quantile(${field}, ${printExpression(level)})`);
    }
    case 'json':
    case 'logfmt':
      return { says: 'A text is parsed with `parse`', oql: `parse body ${word}` };
    default: {
      const fn = /^(avg|min|max|sum|last|first)_over_time$/.exec(word)?.[1];
      if (fn === undefined) return undefined;
      return overTime(
        items,
        behind,
        `${fn}(${first && first.kind !== 'duration' ? printExpression(first) : (input.rows?.subject ?? 'value')})`,
      );
    }
  }
}

function overTime(items: readonly Expression[], behind: (more: readonly string[]) => string, aggregate: string): Found {
  const time = items.find(({ kind }) => kind === 'duration');
  const width = time ? printExpression(time) : 'auto';
  return {
    says: 'Values over time are aggregated by buckets',
    oql: `stats ${aggregate}${behind([`bucket(${width})`])}`,
  };
}

/** The column that the last aggregate made, or the default value of rows. */
function largest({ keys, columns, rows }: Relation): string | undefined {
  if (rows) return rows.subject;
  const made = columns.filter(({ name }) => !keys?.includes(name));
  return made.at(-1)?.name;
}
