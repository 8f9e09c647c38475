import { contextLimits } from '@fanion/contract';
import { type EvaluationContext, renderedOutcomes, resolve } from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import { contextOf, type Rulesets, viewFor, whenHeld } from '../../features/flags/evaluation/index.ts';
import type { Exposures } from '../../features/flags/exposures/index.ts';
import type { SdkCaller } from '../../http/caller.ts';
import { writeAnyFlag } from './json-messages.ts';
import { encodeAnyFlag, type Resolution, type Typed } from './messages.ts';
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
  /** Counts an exposure. Throws a `Refusal`, as its message says. */
  one(caller: SdkCaller, question: Question): Resolution | Promise<Resolution>;
  /** A part of the response for each flag that has a resolution, as `write` makes it. */
  all<Part>(
    caller: SdkCaller,
    context: EvaluationContext,
    parts: PartsOf<Part>,
  ): readonly Part[] | Promise<readonly Part[]>;
}

/** The parts of a response of all flags: none, or one for each. */
type PartsOf<Part> = ReturnType<typeof partsOf<Part>>;

/** Makes a part once for each resolution that a flag may have. */
function partsOf<Part>(write: (key: string, resolution: Resolution) => Part) {
  return renderedOutcomes(({ evaluation }): readonly Part[] => {
    const resolution = anyResolutionOf(evaluation);
    return resolution === undefined ? [] : [write(evaluation.key, resolution)];
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
    one(caller, { flag, context: fields, type, service, traceparent }) {
      const context = checked(fields, caller);
      return whenHeld(rulesets, caller, ({ compiled }) => {
        const ruleset = viewFor(caller, compiled);
        const outcome = resolve(ruleset, flag, context);
        exposures.saw(caller, ruleset, outcome, context, traceparent);
        return resolutionOf(outcome.evaluation, type, service === 'flagd.evaluation.v2');
      });
    },
    all(caller, fields, partsOf) {
      const context = checked(fields, caller);
      return whenHeld(rulesets, caller, ({ compiled }) => partsOf(viewFor(caller, compiled), context).flat());
    },
  };
}

function checked(fields: EvaluationContext, { keyKind }: SdkCaller): EvaluationContext {
  const read = contextOf({ context: fields }, contextLimits[keyKind]);
  if ('problem' in read) throw new Refusal(status.INVALID_ARGUMENT, read.problem.message);
  return read.context;
}
