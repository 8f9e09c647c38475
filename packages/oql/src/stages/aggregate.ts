import type { Context } from '../check/context.ts';
import type { Relation } from '../check/relation.ts';
import { reportUnknownFunction } from '../check/unknown-function.ts';
import { replaceWith } from '../diagnostics/diagnostic.ts';
import { functionNamed } from '../functions/index.ts';
import type { Expression, StageOf } from '../syntax/ast.ts';
import { meantKeyword } from '../syntax/explain-failure.ts';
import type { StageDefinition } from './definition.ts';
import { STAGE_KEYWORDS } from './keywords.ts';
import { reportStageElsewhere } from './stage-elsewhere.ts';
import { group } from './stats.ts';

/** The field that an aggregate without an argument uses: the value of a metric's points, the duration of spans. */
function subjectOf(input: Relation): string | undefined {
  return input.rows?.subject ?? (input.columns.some((column) => column.name === 'value') ? 'value' : undefined);
}

function argumentsOf(stage: StageOf<'aggregate'>, input: Relation, ctx: Context): readonly Expression[] | undefined {
  const { name, args } = stage;
  if (args && (args.items.length > 0 || args.star)) return args.items;
  const wanted = functionNamed(name.text)?.parameters.filter((parameter) => !parameter.optional).length ?? 0;
  if (wanted === 0) return [];
  const subject = subjectOf(input);
  if (subject !== undefined) return [{ kind: 'path', segments: [subject], start: name.start, end: name.end }];
  if (!input.unknown) {
    ctx.error('ARGUMENT_COUNT', name, `These rows have no default value: write \`${name.text}(FIELD)\`.`);
  }
  return undefined;
}

export const aggregate: StageDefinition<'aggregate'> = {
  kind: 'aggregate',
  syntax: 'AGGREGATE[(ARGUMENTS)] [by KEY, …] [without LABEL, …]',
  doc: 'Short for `stats` with one aggregate. Without arguments it uses the value of points and the duration of spans. `histogram(FIELD, WIDTH)` counts rows by buckets of a field.',
  examples: [
    'metric http.server.request.count | sum by service.name',
    'metric http.server.request.count | rate 5m | sum by bucket(5m) without host.name, process.pid',
    'spans | p99 by service.name',
    'logs | count by severity',
    'spans | histogram(duration, 50ms)',
    'logs | histogram(attempt, 1) by service.name',
  ],
  check(stage, input, ctx) {
    const { name, by } = stage;
    if (name.text === HISTOGRAM) return histogramOf(stage, input, ctx);
    if (reportStageElsewhere(stage, input, ctx)) return { ...input, unknown: true };
    const definition = functionNamed(name.text);
    if (definition?.kind !== 'aggregate') {
      const meant = meantKeyword(name.text, STAGE_KEYWORDS);
      if (definition || meant === undefined) {
        if (definition)
          ctx.error(
            'UNKNOWN_STAGE',
            name,
            `\`${name.text}\` is a function, not a stage. Use it in \`extend\` or \`where\`.`,
          );
        else reportUnknownStage(stage, ctx);
      } else {
        const message = `There is no stage \`${name.text}\`; did you mean \`${meant}\`?`;
        ctx.error('UNKNOWN_STAGE', name, message, replaceWith(name, meant));
      }
      return { ...input, unknown: true };
    }
    const items = argumentsOf(stage, input, ctx);
    if (items === undefined) return { ...input, unknown: true };
    const range = { start: name.start, end: stage.args?.end ?? name.end };
    const value: Expression = { kind: 'call', name, args: { items, star: false, ...range }, ...range };
    return group([{ alias: { ...range, text: name.text }, value, ...range }], by, input, ctx, stage.without);
  },
};

const HISTOGRAM = 'histogram';

/** `histogram(duration, 50ms)`: short for `stats count=count() by bucket=bucket(duration, 50ms)`. */
function histogramOf(stage: StageOf<'aggregate'>, input: Relation, ctx: Context): Relation {
  const { name, args, by, without } = stage;
  const range = { start: stage.start, end: args?.end ?? name.end };
  const called = (text: string, items: readonly Expression[]): Expression => {
    return { kind: 'call', name: { ...range, text }, args: { items, star: false, ...range }, ...range };
  };
  if (args?.items.length !== 2) {
    const message = '`histogram` takes a field and the width of its buckets, as in `histogram(duration, 50ms)`.';
    ctx.error('ARGUMENT_COUNT', stage, message);
    return { ...input, unknown: true };
  }
  const bucket = { alias: { ...range, text: 'bucket' }, value: called('bucket', args.items), ...range };
  const count = { alias: { ...range, text: 'count' }, value: called('count', []), ...range };
  return group([count], [bucket, ...by], input, ctx, without);
}

function reportUnknownStage({ name }: StageOf<'aggregate'>, ctx: Context): void {
  const before = ctx.findings.length;
  reportUnknownFunction(name, ctx);
  const [finding] = ctx.findings.splice(before);
  ctx.report({
    name: 'UNKNOWN_STAGE',
    message: `There is no stage or aggregate \`${name.text}\`.`,
    range: name,
    ...(finding?.suggestion ? { suggestion: finding.suggestion } : {}),
  });
}
