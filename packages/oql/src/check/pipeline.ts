import { replaceWith } from '../diagnostics/diagnostic.ts';
import { changesRelation } from '../schema/changes.ts';
import { eventsRelation, linksRelation } from '../schema/events.ts';
import { exemplarsRelation } from '../schema/exemplars.ts';
import { flagsRelation } from '../schema/flags.ts';
import { fieldNames, metricNames } from '../schema/listings.ts';
import { LOGS } from '../schema/logs.ts';
import { metricRelation } from '../schema/metrics.ts';
import { profilesRelation } from '../schema/profiles.ts';
import { signalRelation } from '../schema/rows.ts';
import { SPANS } from '../schema/spans.ts';
import { tracesRelation } from '../schema/traces.ts';
import { stageNamed } from '../stages/index.ts';
import { SOURCE_KEYWORDS } from '../stages/keywords.ts';
import type { Name, Pipeline, Source, Stage, StageKind, StageOf } from '../syntax/ast.ts';
import { meantKeyword } from '../syntax/explain-failure.ts';
import { LIMITS } from '../syntax/guard.ts';
import { printPath, printSource } from '../syntax/print.ts';
import type { Context } from './context.ts';
import { regexFault } from './regex.ts';
import type { Relation } from './relation.ts';

/** Called after each step of a pipeline; for `explain`. */
export type Observer = (op: string, output: Relation) => void;

/** Checks a pipeline from its source to its last stage, and reports every mistake. */
export function checkPipeline(pipeline: Pipeline, ctx: Context, observe: Observer = () => {}): Relation {
  const outer = ctx.stage;
  ctx.stage = undefined;
  if (++ctx.pipelines > LIMITS.pipelines) {
    ctx.error(
      'TOO_MANY_QUERIES',
      pipeline,
      `A query has at most ${LIMITS.pipelines} pipelines, counting each use of a \`let\`.`,
    );
    return unknownRelation(ctx);
  }
  if (ctx.depth === LIMITS.nesting) {
    ctx.error('TOO_DEEP', pipeline, `Sub-queries may be nested ${LIMITS.nesting} deep at most.`);
    return unknownRelation(ctx);
  }
  ctx.depth++;
  ctx.following = [...pipeline.stages, ...ctx.following];
  let relation = checkSource(pipeline.source, ctx);
  observe(pipeline.source.kind === 'signal' ? pipeline.source.signal : pipeline.source.kind, relation);
  for (const [i, stage] of pipeline.stages.entries()) {
    ctx.following = pipeline.stages.slice(i + 1);
    ctx.preceding = pipeline.stages.slice(0, i);
    ctx.again = (window, dropped = 0) => {
      const soFar = { ...pipeline, stages: pipeline.stages.slice(0, i - dropped) };
      return checkAgain(soFar, ctx.inWindow(window), ctx);
    };
    ctx.stage = wordOf(stage);
    relation = checkStage(stage.kind, stage, relation, ctx);
    if (relation.columns.length > LIMITS.columns) {
      ctx.error('TOO_MANY_COLUMNS', stage, `A query has at most ${LIMITS.columns} columns.`);
      relation = unknownRelation(ctx);
    }
    observe(ctx.stage, relation);
  }
  ctx.stage = outer;
  ctx.depth--;
  return relation;
}

function checkAgain(pipeline: Pipeline, other: Context, ctx: Context): Relation | undefined {
  const relation = checkPipeline(pipeline, other);
  ctx.pipelines = other.pipelines;
  ctx.names = other.names;
  ctx.windows = other.windows;
  return other.failed ? undefined : relation;
}

function checkStage<K extends StageKind>(kind: K, stage: Stage, input: Relation, ctx: Context): Relation {
  const definition = stageNamed(kind);
  if (!definition || !isOf(kind, stage)) return { ...input, unknown: true };
  return definition.check(stage, input, ctx);
}

/** The word that a stage begins with. */
function wordOf(stage: Stage): string {
  if (stage.kind === 'aggregate') return stage.name.text;
  return stage.kind === 'held' ? 'where' : stage.kind;
}

function isOf<K extends StageKind>(kind: K, stage: Stage): stage is StageOf<K> {
  return stage.kind === kind;
}

/** The result of an unknown source or stage: rows for which no names are reported as unknown. */
export function unknownRelation(ctx: Context): Relation {
  const { plan } = signalRelation(LOGS, ctx.window, ctx);
  return { plan, columns: [], window: ctx.window, sorted: false, unknown: true };
}

export function checkSource(source: Source, ctx: Context): Relation {
  switch (source.kind) {
    case 'signal':
      if (source.signal === 'logs') return signalRelation(LOGS, ctx.window, ctx);
      if (source.signal === 'spans') return signalRelation(SPANS, ctx.window, ctx);
      if (source.signal === 'traces') return tracesRelation(ctx.window, ctx);
      if (source.signal === 'links') return linksRelation(ctx.window, ctx);
      return eventsRelation(ctx.window, ctx);
    case 'metric':
      tellOfMetric(source, ctx);
      return metricRelation({ metric: source.metric }, ctx.window, ctx);
    case 'matching': {
      const fault = regexFault(source.pattern);
      if (fault !== undefined) {
        ctx.error('INVALID_PATTERN', source.at, `Invalid RE2 regular expression: ${fault}.`);
        return unknownRelation(ctx);
      }
      return metricRelation({ pattern: source.pattern }, ctx.window, ctx);
    }
    case 'exemplars':
      tellOfMetric(source, ctx);
      return exemplarsRelation(source.metric, ctx.window, ctx);
    case 'metrics':
      return metricNames(ctx.window, ctx);
    case 'fields':
      return fieldNames(ctx.window, ctx);
    case 'profiles':
      return profilesRelation(source.profile, ctx.window, ctx);
    case 'pipeline':
      return checkPipeline(source.pipeline, ctx);
    case 'changes':
      return changesRelation(ctx.window, ctx);
    case 'flags':
      return flagsRelation(source.flag, ctx.window, ctx);
    case 'named':
      return checkNamed(source.name, ctx);
  }
}

/** Warns about a metric that was never sent. Not an error: it may be sent later, and the sum of no points is 0. */
function tellOfMetric(source: Extract<Source, { kind: 'metric' | 'exemplars' }>, ctx: Context): void {
  const { metric } = source;
  ctx.metrics.add(metric);
  const seen = ctx.catalogue?.metrics;
  if (seen === undefined || seen.some(({ name }) => name === metric)) return;
  const names = seen.map(({ name }) => name);
  // Users of PromQL know a histogram by its name without `_bucket`, the suffix of its counters.
  const near = names.find((name) => name === `${metric}_bucket`) ?? ctx.nearest(metric, names);
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
  ctx.warn(
    'UNSEEN_METRIC',
    source,
    `No metric \`${metric}\` has been seen.${hint}`,
    near === undefined ? undefined : replaceWith(source, printSource({ ...source, metric: near }), near),
  );
}

function checkNamed(name: Name, ctx: Context): Relation {
  const pipeline = ctx.lets.get(name.text);
  if (pipeline && !ctx.openLets.has(name.text)) {
    ctx.openLets.add(name.text);
    const relation = checkPipeline(pipeline, ctx);
    ctx.openLets.delete(name.text);
    return relation;
  }
  const meant = ctx.nearest(name.text, ctx.lets.keys()) ?? meantKeyword(name.text, SOURCE_KEYWORDS);
  const hint =
    meant === undefined
      ? ` There are ${SOURCE_KEYWORDS.join(', ')}. If it is a metric, write \`metric ${printPath({ ...name, kind: 'path', segments: [name.text] })}\`.`
      : ` Did you mean \`${meant}\`?`;
  const message = pipeline ? `\`${name.text}\` refers to itself.` : `There is no source \`${name.text}\`.${hint}`;
  ctx.error('UNKNOWN_SOURCE', name, message, meant === undefined || pipeline ? undefined : replaceWith(name, meant));
  return unknownRelation(ctx);
}
