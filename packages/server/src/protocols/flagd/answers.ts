import { contextLimits } from '@fanion/contract';
import { type EvaluationContext, evaluateAll, resolve } from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import { contextOf, type Rulesets, servedTo } from '../../features/flags/evaluation/index.ts';
import type { Exposures } from '../../features/flags/exposures/index.ts';
import type { SdkCaller } from '../../http/caller.ts';
import type { Resolution, Typed } from './messages.ts';
import { anyResolutionOf, Refusal, resolutionOf } from './resolve-rules.ts';

export const flagdServices = ['flagd.evaluation.v1', 'flagd.evaluation.v2'] as const;
export type FlagdService = (typeof flagdServices)[number];

/** The methods `ResolveBoolean` and so on, by what they return. */
export const resolvedTypes = {
  Boolean: 'boolean',
  String: 'string',
  Int: 'int',
  Float: 'float',
  Object: 'object',
} as const satisfies Record<string, Typed['type']>;

export interface Question {
  readonly flag: string;
  readonly context: EvaluationContext;
  readonly type: Typed['type'];
  readonly service: FlagdService;
  readonly traceparent: string | undefined;
}

export interface Answers {
  /** Counts an exposure. Rejects with a `Refusal`, as its message says. */
  one(caller: SdkCaller, question: Question): Promise<Resolution>;
  all(caller: SdkCaller, context: EvaluationContext): Promise<readonly (readonly [key: string, Resolution])[]>;
}

/** What flagd's evaluation answers, from the ruleset in memory as OFREP does. */
export function createAnswers({
  rulesets,
  exposures,
}: {
  readonly rulesets: Rulesets;
  readonly exposures: Pick<Exposures, 'saw'>;
}): Answers {
  return {
    async one(caller, { flag, context: fields, type, service, traceparent }) {
      const context = checked(fields, caller);
      const ruleset = await servedTo(rulesets, caller);
      const outcome = resolve(ruleset, flag, context);
      exposures.saw(caller, ruleset, outcome, context, traceparent);
      return resolutionOf(outcome.evaluation, type, service === 'flagd.evaluation.v2');
    },
    async all(caller, fields) {
      const context = checked(fields, caller);
      return [...evaluateAll(await servedTo(rulesets, caller), context)].flatMap(([key, evaluation]) => {
        const resolution = anyResolutionOf(evaluation);
        return resolution === undefined ? [] : [[key, resolution] as const];
      });
    },
  };
}

function checked(fields: EvaluationContext, { keyKind }: SdkCaller): EvaluationContext {
  const read = contextOf({ context: fields }, contextLimits[keyKind]);
  if ('problem' in read) throw new Refusal(status.INVALID_ARGUMENT, read.problem.message);
  return read.context;
}
