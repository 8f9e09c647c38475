import type { StageKind } from '../syntax/ast.ts';
import { aggregate } from './aggregate.ts';
import { compare } from './compare.ts';
import { concurrency } from './concurrency.ts';
import { context } from './context.ts';
import { contrast } from './contrast.ts';
import { dedup } from './dedup.ts';
import type { StageDefinition } from './definition.ts';
import { extend } from './extend.ts';
import { fields, omit } from './fields.ts';
import { fill } from './fill.ts';
import { flame } from './flame.ts';
import { funnel } from './funnel.ts';
import { held } from './held.ts';
import { join } from './join.ts';
import { limit } from './limit.ts';
import { match } from './match.ts';
import { offset } from './offset.ts';
import { parse } from './parse.ts';
import { patterns } from './patterns.ts';
import { promrate } from './promrate.ts';
import { range } from './range.ts';
import { sample } from './sample.ts';
import { sort } from './sort.ts';
import { stats } from './stats.ts';
import { top } from './top.ts';
import { trend } from './trend.ts';
import { union } from './union.ts';
import { where } from './where.ts';

type Stages = { readonly [K in StageKind]: StageDefinition<K> | undefined };

const stages: Stages = {
  where,
  held,
  extend,
  fields,
  omit,
  dedup,
  stats,
  aggregate,
  sort,
  limit,
  top,
  fill,
  match,
  parse,
  patterns,
  range,
  promrate,
  trend,
  offset,
  compare,
  contrast,
  join,
  sample,
  union,
  funnel,
  flame,
  context,
  concurrency,
  broken: undefined,
};

export function stageNamed<K extends StageKind>(kind: K): Stages[K] {
  return stages[kind];
}

/** Every stage with its documentation, in the order of the reference. */
export const STAGES: readonly Pick<StageDefinition<StageKind>, 'kind' | 'syntax' | 'doc' | 'examples'>[] =
  Object.values(stages).filter((stage) => stage !== undefined);
