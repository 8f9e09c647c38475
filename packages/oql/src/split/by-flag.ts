import type * as Ast from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import { printQuery } from '../syntax/print.ts';

export type SplitText =
  /** `column` is the name of the column with the variant. */
  | { readonly ok: true; readonly text: string; readonly column: string }
  | { readonly ok: false; readonly reason: string };

/** What stands for traces that saw more than one variant: they show what neither of them does. No key of a variant has a space. */
export const severalVariants = 'several variants';

/** The name of the joined rows. */
const joined = 'fanion_split';

/**
 * Splits a query by the variants of a flag: each row belongs to the variant that its trace was served, and the query is asked for each
 * variant at once, with the variant as one more column. Rows whose trace did not evaluate the flag are left out. A trace with several
 * variants counts for none of them, so that no row counts twice. A text that does not parse stays, for the compiler to report.
 */
export function splitByFlag(text: string, flag: string): SplitText {
  const { query, findings } = parse(text);
  if (query === undefined || findings.some(({ severity = 'error' }) => severity === 'error'))
    return { ok: true, text, column: 'variant' };
  const { source, stages } = query.pipeline;
  const refused = reasonOf(source) ?? stages.flatMap((stage) => refusedStages[stage.kind] ?? [])[0];
  if (refused !== undefined) return { ok: false, reason: refused };
  const column = freeName(query);
  const isOfFlag = source.kind === 'flags' && source.flag === flag;
  if (isOfFlag && stages.some((stage) => isGrouping(stage) && stage.by.some(isVariant)))
    return { ok: true, text, column: 'variant' };
  const splitting = isOfFlag ? splitStages(stages, column, path('variant'), []) : splitJoined(stages, column, flag);
  if (splitting === undefined)
    return {
      ok: false,
      reason: 'it has `join` or `match` after rows were grouped: split the query by hand with `join flags`',
    };
  return { ok: true, text: printQuery({ ...query, pipeline: { ...query.pipeline, stages: splitting } }), column };
}

const nowhere = { start: 0, end: 0 };
const path = (...segments: string[]): Ast.Path => ({ kind: 'path', segments, ...nowhere });
const name = (text: string): Ast.Name => ({ text, ...nowhere });

function reasonOf(source: Ast.Source): string | undefined {
  switch (source.kind) {
    case 'signal':
    case 'exemplars':
    case 'flags':
      return undefined;
    case 'metric':
    case 'matching':
      return 'points of a metric belong to no trace: split spans or logs, or group the metric by an attribute with the variant';
    case 'profiles':
    case 'metrics':
    case 'fields':
    case 'changes':
      return `rows of \`${source.kind}\` belong to no trace: split spans or logs`;
    case 'named':
    case 'pipeline':
      return 'it begins with another query: begin with `spans`, `logs`, `events` or `flags`';
  }
}

const twoSources = 'it puts rows of several sources together: split the query by hand with `join flags`';
const refusedStages: Readonly<Partial<Record<Ast.StageKind, string>>> = {
  union: twoSources,
  funnel: '`funnel` follows users and not traces: write one funnel for each variant',
  contrast: '`contrast` compares two sets of rows already: contrast the variants with `join flags`',
  flame: 'a flame graph has no column for a variant: filter by the variant instead',
};

type Grouping = Ast.StageOf<'stats' | 'aggregate' | 'patterns'>;
const isGrouping = (stage: Ast.Stage): stage is Grouping =>
  stage.kind === 'stats' || stage.kind === 'aggregate' || stage.kind === 'patterns';

/** Stages that keep rows as they are stored, so that they still have a trace after them. */
const keepsRows: ReadonlySet<Ast.StageKind> = new Set(['where', 'extend', 'parse', 'match', 'sample', 'dedup', 'join']);

/** As late as possible, so that only rows that the query wants are joined. */
function splitJoined(stages: readonly Ast.Stage[], column: string, flag: string): readonly Ast.Stage[] | undefined {
  return splitStages(stages, column, path(joined, 'variant'), [joinOf(flag)]);
}

/** @param variant where the rows have it @param join what brings it */
function splitStages(
  stages: readonly Ast.Stage[],
  column: string,
  variant: Ast.Path,
  join: readonly Ast.Stage[],
): readonly Ast.Stage[] | undefined {
  const found = stages.findIndex(({ kind }) => !keepsRows.has(kind));
  const at = found === -1 ? stages.length : found;
  const [before, after] = [stages.slice(0, at), stages.slice(at)];
  if (after.some(({ kind }) => kind === 'join' || kind === 'match')) return undefined;
  // Rows as they are stored get the variant as a column of their own; groups get it as a key.
  const extended: readonly Ast.Stage[] =
    after[0] !== undefined && isGrouping(after[0])
      ? []
      : [
          {
            kind: 'extend',
            assignments: [{ target: path(column), value: variant, ...nowhere }],
            within: [],
            ...nowhere,
          },
        ];
  let isColumn = extended.length > 0;
  const split = after.map((stage): Ast.Stage => {
    if (isGrouping(stage)) {
      const isNamed = isColumn || variant.segments.join('.') === column;
      const key: Ast.Aliased = isNamed
        ? { value: path(column), ...nowhere }
        : { alias: name(column), value: variant, ...nowhere };
      isColumn = true;
      return { ...stage, by: [key, ...stage.by] };
    }
    // Without it, the rows of one variant would hide those of the others.
    if (stage.kind === 'fields' || stage.kind === 'dedup') return { ...stage, paths: [...stage.paths, path(column)] };
    return stage;
  });
  return [...before, ...join, ...extended, ...split];
}

/** The variant of each trace that evaluated the flag. */
function joinOf(flag: string): Ast.StageOf<'join'> {
  const call = (of: string): Ast.Call => ({
    kind: 'call',
    name: name(of),
    args: { star: false, items: [path('variant')], ...nowhere },
    ...nowhere,
  });
  const isKnown = (of: string): Ast.Expression => ({
    kind: 'compare',
    operator: '!=',
    left: path(of),
    right: { kind: 'null', ...nowhere },
    ...nowhere,
  });
  const stages: readonly Ast.Stage[] = [
    {
      kind: 'where',
      predicate: { kind: 'and', operands: [isKnown('trace_id'), isKnown('variant')], ...nowhere },
      ...nowhere,
    },
    {
      kind: 'stats',
      aggregates: [
        { alias: name('least'), value: call('min'), ...nowhere },
        { alias: name('most'), value: call('max'), ...nowhere },
      ],
      by: [{ value: path('trace_id'), ...nowhere }],
      ...nowhere,
    },
    oneVariant(),
  ];
  return {
    kind: 'join',
    mode: 'inner',
    source: {
      kind: 'pipeline',
      pipeline: { source: { kind: 'flags', flag, ...nowhere }, stages, ...nowhere },
      ...nowhere,
    },
    on: [path('trace_id')],
    as: name(joined),
    ...nowhere,
  };
}

/** The variant of a trace that saw one. */
function oneVariant(): Ast.Stage {
  return {
    kind: 'extend',
    assignments: [
      {
        target: path('variant'),
        value: {
          kind: 'call',
          name: name('if'),
          args: {
            star: false,
            items: [
              { kind: 'compare', operator: '==', left: path('least'), right: path('most'), ...nowhere },
              path('least'),
              { kind: 'string', value: severalVariants, ...nowhere },
            ],
            ...nowhere,
          },
          ...nowhere,
        },
        ...nowhere,
      },
    ],
    within: [],
    ...nowhere,
  };
}

function isVariant({ alias, value }: Ast.Aliased): boolean {
  return alias === undefined && value.kind === 'path' && value.segments.join('.') === 'variant';
}

/** `variant`, unless the query uses that name for something else. */
function freeName(query: Ast.Query): string {
  const text = printQuery(query);
  return (
    ['variant', 'flag_variant', 'variant_of_flag'].find((one) => !new RegExp(`\\b${one}\\b`).test(text)) ??
    `${joined}_variant`
  );
}
