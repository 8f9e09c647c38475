import { contextLimits } from '@fanion/contract';
import {
  type CompiledRuleset,
  type EvaluationContext,
  type Outcome,
  renderedOutcomes,
  resolve,
} from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import { contextOf, type Rulesets, viewFor, whenHeld } from '../../features/flags/evaluation/index.ts';
import type { Exposures } from '../../features/flags/exposures/index.ts';
import type { SdkCaller } from '../../http/caller.ts';
import { writeAnyFlag, writeResolution } from './json-messages.ts';
import { encodeAnyFlag, encodeResolution, type Resolution, type Typed } from './messages.ts';
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
  /** The response of one flag. Counts an exposure. Throws a `Refusal`, as its message says. */
  one(caller: SdkCaller, question: Question, response: ResponseOf): Buffer | Promise<Buffer>;
  /** A part of the response for each flag that has a resolution. */
  all(
    caller: SdkCaller,
    context: EvaluationContext,
    parts: PartsOf,
  ): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
}

/** Throws a `Refusal`, as its message says. */
type ResponseOf = (outcome: Outcome, question: Pick<Question, 'type' | 'service'>) => Buffer;

/** Makes a response once for each outcome that a flag may have, by type and service. */
function responseOf(write: (resolution: Resolution) => Buffer): ResponseOf {
  const known = new WeakMap<Outcome, Map<string, Buffer>>();
  return (outcome, { type, service }) => {
    const name = `${service} ${type}`;
    const responses = known.get(outcome) ?? new Map<string, Buffer>();
    const written = responses.get(name);
    if (written !== undefined) return written;
    const response = write(resolutionOf(outcome.evaluation, type, service === 'flagd.evaluation.v2'));
    known.set(outcome, responses.set(name, response));
    return response;
  };
}

/** As JSON. */
export const writtenFlag = responseOf(writeResolution);
/** As Protocol Buffers. */
export const encodedFlag = responseOf(encodeResolution);

/** The part of each flag in a response of all; empty: it has none. */
type PartsOf = (ruleset: CompiledRuleset, context: EvaluationContext) => Uint8Array[];

/** Makes a part once for each resolution that a flag may have. */
function partsOf(write: (key: string, resolution: Resolution) => Uint8Array): PartsOf {
  return renderedOutcomes(({ evaluation }) => {
    const resolution = anyResolutionOf(evaluation);
    return resolution === undefined ? new Uint8Array() : write(evaluation.key, resolution);
  });
}

/** As JSON. */
export const writtenFlags = partsOf(writeAnyFlag);
/** As Protocol Buffers. */
export const encodedFlags = partsOf(encodeAnyFlag);

/** What flagd's evaluation answers, from the ruleset in memory as OFREP does. */
export function createAnswers({
  rulesets,
  exposures,
}: {
  readonly rulesets: Rulesets;
  readonly exposures: Pick<Exposures, 'saw'>;
}): Answers {
  return {
    one(caller, question, responseOf) {
      const context = checked(question.context, caller);
      return whenHeld(rulesets, caller, ({ compiled }) => {
        const ruleset = viewFor(caller, compiled);
        const outcome = resolve(ruleset, question.flag, context);
        exposures.saw(caller, ruleset, outcome, context, question.traceparent);
        return responseOf(outcome, question);
      });
    },
    all(caller, fields, partsOf) {
      const context = checked(fields, caller);
      return whenHeld(rulesets, caller, ({ compiled }) =>
        partsOf(viewFor(caller, compiled), context).filter(({ length }) => length > 0),
      );
    },
  };
}

function checked(fields: EvaluationContext, { keyKind }: SdkCaller): EvaluationContext {
  const read = contextOf({ context: fields }, contextLimits[keyKind]);
  if ('problem' in read) throw new Refusal(status.INVALID_ARGUMENT, read.problem.message);
  return read.context;
}
