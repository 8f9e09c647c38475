import { earlier } from '../calendar/zones.ts';
import type { Finding } from '../diagnostics/diagnostic.ts';
import type { Plan, Window } from '../plan/plan.ts';
import type { Query, TimePoint, TimeRange } from '../syntax/ast.ts';
import type { FieldCatalogue, KnownMetrics } from './catalogue.ts';
import { indexCatalogue } from './catalogue.ts';
import { type AttributeUse, Context, type FieldUse, type RollUpUse } from './context.ts';
import { checkPipeline, type Observer } from './pipeline.ts';
import type { Relation, SampledRows } from './relation.ts';

export interface CheckOptions {
  readonly window: Window;
  readonly nowNs: bigint;
  readonly catalogue?: FieldCatalogue;
  readonly types?: KnownMetrics;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Reads attributes as texts that every row has: see `AttributeTexts`. */
  readonly assumesTexts?: boolean;
}

export interface Checked {
  readonly relation: Relation;
  readonly window: Window;
  readonly findings: readonly Finding[];
  readonly fields: readonly FieldUse[];
  /** The attributes among the fields, by their names in the query. */
  readonly attributes: ReadonlyMap<string, AttributeUse>;
  readonly metrics: readonly string[];
  /** Grows until the statement is printed. */
  readonly texts: ReadonlySet<string>;
  readonly rollUps: readonly RollUpUse[];
  readonly anchorless: readonly Plan[];
  readonly sampled: readonly SampledRows[];
  readonly fresh: Context['fresh'];
}

/** Checks a query: resolves names, infers types, applies its `from … to`, and plans it. */
export function check(query: Query, options: CheckOptions, observe?: Observer): Checked {
  const range = query.range && rangeOf(query.range, options.nowNs);
  const window = range ? intersection(options.window, range) : options.window;
  const ctx = new Context({
    window,
    nowNs: options.nowNs,
    subquery: checkPipeline,
    ...(options.catalogue ? { catalogue: indexCatalogue(options.catalogue) } : {}),
    ...(options.types ? { types: options.types } : {}),
    ...(options.params ? { params: options.params } : {}),
    texts: { names: new Set(), assumed: options.assumesTexts ?? false },
  });
  if (query.range && range && range.fromNs >= range.toNs) {
    ctx.error('INVALID_RANGE', query.range, 'The range ends before it begins.');
  }
  for (const { name, pipeline } of query.lets) {
    if (ctx.lets.has(name.text)) ctx.error('DUPLICATE_NAME', name, `\`let ${name.text}\` is defined twice.`);
    // Checked before its name is registered: a `let` can use only earlier ones.
    checkPipeline(pipeline, ctx);
    ctx.lets.set(name.text, pipeline);
  }
  ctx.pipelines = 0;
  ctx.anchorless.length = 0;
  ctx.sampled.length = 0;
  const relation = checkPipeline(query.pipeline, ctx, observe);
  return {
    relation,
    window,
    findings: unique(ctx.findings),
    fields: [...ctx.fields.values()],
    attributes: ctx.attributes,
    metrics: [...ctx.metrics],
    texts: ctx.texts.names,
    rollUps: ctx.rollUps,
    anchorless: ctx.anchorless,
    sampled: ctx.sampled,
    fresh: ctx.fresh,
  };
}

function rangeOf(range: TimeRange, nowNs: bigint): Window {
  return { fromNs: pointOf(range.from, nowNs), toNs: range.to ? pointOf(range.to, nowNs) : nowNs };
}

function pointOf(point: TimePoint, nowNs: bigint): bigint {
  switch (point.kind) {
    case 'now':
      return nowNs;
    case 'timestamp':
      return point.nanoseconds;
    case 'ago':
      if (point.amount.kind === 'months') return earlier(nowNs, { unit: 'month', count: point.amount.months }, 'UTC');
      return point.amount.kind === 'duration' ? nowNs - point.amount.nanoseconds : nowNs;
  }
}

/** A query's own range narrows the requested one; if they do not overlap, the result is empty. */
function intersection(a: Window, b: Window): Window {
  const fromNs = a.fromNs > b.fromNs ? a.fromNs : b.fromNs;
  const toNs = a.toNs < b.toNs ? a.toNs : b.toNs;
  return { fromNs, toNs: toNs < fromNs ? fromNs : toNs };
}

/** Removes duplicates, since a `let` is checked each time it is used. Sorts by position in the text. */
function unique(findings: readonly Finding[]): Finding[] {
  const seen = new Map(
    findings.map((finding) => [`${finding.name} ${finding.range.start} ${finding.range.end}`, finding]),
  );
  return [...seen.values()].sort((a, b) => a.range.start - b.range.start);
}
