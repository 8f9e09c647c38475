import { parse } from '@fanion/oql/syntax';

/** A part of a query shown as a chip under the editor: a condition of a `where`, or a whole stage. */
export interface Chip {
  readonly kind: 'condition' | 'stage';
  readonly text: string;
  /** Returns the query with the part replaced, or removed if the argument is null. */
  readonly edit: (text: string | null) => string;
}

export interface Built {
  /** `spans`, `metric x`. */
  readonly source: string;
  /** Whose fields there are: `spans`, `metric`. */
  readonly signal: string;
  readonly withSource: (source: string) => string;
  readonly chips: readonly Chip[];
}

/** Splits a query into clickable parts. Null if its source cannot be parsed. */
export function takeApart(query: string): Built | null {
  const pipeline = parse(query).query?.pipeline;
  if (!pipeline) return null;
  const { source, stages } = pipeline;
  const chips = stages.flatMap((stage, index): Chip[] => {
    const before = index === 0 ? source.end : (stages[index - 1]?.end ?? source.end);
    const without = query.slice(0, before) + query.slice(stage.end);
    const withText = (text: string) => query.slice(0, stage.start) + text + query.slice(stage.end);
    if (stage.kind !== 'where')
      return [
        {
          kind: 'stage',
          text: query.slice(stage.start, stage.end),
          edit: (text) => (text === null ? without : withText(text)),
        },
      ];
    const { predicate } = stage;
    const operands = predicate.kind === 'and' ? predicate.operands : [predicate];
    const conditions = operands.map((operand) => {
      const text = query.slice(operand.start, operand.end);
      // The range of a parenthesized expression excludes the parentheses.
      return operand.kind === 'or' && operands.length > 1 ? `(${text})` : text;
    });
    return conditions.map((text, at) => ({
      kind: 'condition',
      text,
      edit: (next) => {
        const rest = conditions.flatMap((condition, other) =>
          other !== at ? [condition] : next === null ? [] : [next],
        );
        return rest.length === 0 ? without : withText(`where ${rest.join(' and ')}`);
      },
    }));
  });
  return {
    source: query.slice(source.start, source.end),
    signal: source.kind === 'signal' ? source.signal : source.kind,
    withSource: (text) => query.slice(0, source.start) + text + query.slice(source.end),
    chips,
  };
}

/** Adds a condition to the query, before the first aggregation. */
export function addCondition(query: string, condition: string): string {
  const pipeline = parse(query).query?.pipeline;
  if (!pipeline) return query;
  const last = leadingWhere(pipeline.stages).at(-1);
  const at = last?.end ?? pipeline.source.end;
  if (last?.kind === 'where') {
    const text = query.slice(last.predicate.start, last.predicate.end);
    const kept = last.predicate.kind === 'or' ? `(${text})` : text;
    return `${query.slice(0, last.start)}where ${kept} and ${condition}${query.slice(at)}`;
  }
  return `${query.slice(0, at)} | where ${condition}${query.slice(at)}`;
}

/** Replaces the aggregation of a query; later stages are dropped, because their columns no longer exist. */
export function summarise(query: string, stage: string): string {
  const pipeline = parse(query).query?.pipeline;
  if (!pipeline) return query;
  const at = leadingWhere(pipeline.stages).at(-1)?.end ?? pipeline.source.end;
  return `${query.slice(0, at)} | ${stage}`;
}

function leadingWhere<Stage extends { readonly kind: string }>(stages: readonly Stage[]): Stage[] {
  const other = stages.findIndex(({ kind }) => kind !== 'where');
  return stages.slice(0, other === -1 ? stages.length : other);
}

export interface Summary {
  measure: string;
  /** The measured field; ignored by measures that count rows. */
  field: string;
  by: readonly string[];
  overTime: boolean;
}

/** Measures with their label and OQL. */
export const MEASURES: Readonly<
  Record<string, { label: string; of: 'rows' | 'field'; oql: (field: string) => string }>
> = {
  count: { label: 'Count', of: 'rows', oql: () => 'n=count()' },
  errors: { label: 'Share of errors', of: 'rows', oql: () => 'errors=ratio(status == error)' },
  p50: { label: 'p50 of', of: 'field', oql: (field) => `p50=p50(${field})` },
  p95: { label: 'p95 of', of: 'field', oql: (field) => `p95=p95(${field})` },
  p99: { label: 'p99 of', of: 'field', oql: (field) => `p99=p99(${field})` },
  avg: { label: 'Average of', of: 'field', oql: (field) => `avg=avg(${field})` },
  max: { label: 'Largest', of: 'field', oql: (field) => `max=max(${field})` },
  sum: { label: 'Sum of', of: 'field', oql: (field) => `sum=sum(${field})` },
  distinct: { label: 'Distinct values of', of: 'field', oql: (field) => `n=count_distinct(${field})` },
};

export function summaryStage({ measure, field, by, overTime }: Summary): string {
  const keys = [...by, ...(overTime ? ['bucket(auto)'] : [])];
  const aggregate = MEASURES[measure]?.oql(field) ?? 'n=count()';
  return `stats ${aggregate}${keys.length === 0 ? '' : ` by ${keys.join(', ')}`}`;
}
