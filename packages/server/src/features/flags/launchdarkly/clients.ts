import { contextLimits, launchDarklyClientRoutes } from '@fanion/contract';
import { type EvaluationContext, timeTag } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyBytes } from '../../../http/bodies.ts';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { parseJson } from '../../../http/json-body.ts';
import { allowedOrigin } from '../../../http/page-origins.ts';
import { eventFrame } from '../../../http/sse.ts';
import { fail } from '../../../platform/fail.ts';
import {
  contextOf,
  fingerprint,
  type HeldRuleset,
  heldSince,
  type Rulesets,
  type Streams,
  sendTagged,
  viewFor,
} from '../evaluation/index.ts';
import { perChange } from './change-frames.ts';
import { onlyChangedFlag } from './change-rules.ts';
import { engineContext, WrongContext } from './context-rules.ts';
import { sendLaunchDarklyFailure } from './failure.ts';
import { launchDarklyValue, launchDarklyValues } from './value-rules.ts';

interface ClientDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
}

interface Question {
  readonly caller: SdkCaller;
  readonly params: { readonly sdk_key?: string; readonly context?: string };
  readonly query: { readonly withReasons?: string | undefined; readonly seconds?: number | undefined };
  readonly body?: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Evaluates for LaunchDarkly's client-side and mobile SDKs, as OFREP does for the same key. */
export function launchDarklyClientHandlers({ rulesets, streams }: ClientDependencies): MountedRoute[] {
  const answering =
    ({ caller, query: { withReasons = '' } }: Question, context: EvaluationContext) =>
    ({ compiled }: HeldRuleset) =>
      launchDarklyValues(viewFor(caller, compiled), context, withReasons);

  async function values(question: Question): Promise<undefined> {
    const { caller } = question;
    const context = contextIn(question);
    const held = await heldSince(rulesets, caller.environmentId, undefined);
    const asked = fingerprint(Buffer.from(JSON.stringify([context, question.query.withReasons])));
    const tag = `"${caller.environmentId}-${held.compiled.version}-${asked}${timeTag(held.compiled)}-${caller.keyKind}"`;
    return sendTagged(question, tag, () => answering(question, context)(held));
  }

  async function stream(question: Question): Promise<undefined> {
    const { caller, request, reply, query } = question;
    const context = contextIn(question);
    const answer = answering(question, context);
    const { environmentId, keyId } = caller;
    const held = await heldSince(rulesets, environmentId, undefined);
    const answers = (now: HeldRuleset, before: HeldRuleset | undefined) =>
      valueChange(question, context, before, now) ?? eventFrame('put', undefined, answer(now));
    const headers = allowedOrigin(caller, request.headers.origin) ?? {};
    const open = { environmentId, keyId, held, response: reply.raw, headers, seen: undefined, seconds: query.seconds };
    streams.open({ answers }, open);
    reply.hijack();
    return undefined;
  }

  return implement(
    launchDarklyClientRoutes,
    {
      launchDarklyValues: ofBrowsers(values),
      launchDarklyValuesByBody: ofBrowsers(values),
      launchDarklyValueStream: ofBrowsers(stream),
      launchDarklyValueStreamByBody: ofBrowsers(stream),
      launchDarklyGoals: ofBrowsers(async ({ reply }: Pick<Question, 'caller' | 'reply'>) => {
        reply.send([]);
        return undefined;
      }),
      launchDarklyMobileValues: values,
      launchDarklyMobileValuesByBody: values,
      launchDarklyMobileStream: stream,
      launchDarklyMobileStreamByBody: stream,
    },
    sendLaunchDarklyFailure,
  );
}

/** Looks through a ruleset once for all clients, whose answers differ. */
const changedFlag = perChange(onlyChangedFlag);

/**
 * The event of a single changed flag, without data if the client does not see it. Undefined: every value is sent. SDKs ignore a value whose
 * version is not greater than that of the one they have, deleted ones included, so a flag that is new needs everything.
 */
function valueChange(
  { caller, query: { withReasons = '' } }: Question,
  context: EvaluationContext,
  before: HeldRuleset | undefined,
  now: HeldRuleset,
): Buffer | undefined {
  const key = before && before !== now ? changedFlag(before.ruleset, now.ruleset) : undefined;
  if (before === undefined || key === undefined) return undefined;
  const [old, changed] = [before, now].map(({ compiled }) => viewFor(caller, compiled).flags.get(key));
  if (old === undefined) return changed === undefined ? Buffer.alloc(0) : undefined;
  if (changed === undefined) return eventFrame('delete', undefined, JSON.stringify({ key, version: old.version + 1 }));
  if (changed.version <= old.version) return undefined;
  const value = launchDarklyValue(viewFor(caller, now.compiled), { key, context, withReasons });
  return eventFrame('patch', undefined, JSON.stringify(value));
}

/** Addresses are seen by others, so a server key must not be in one. */
function ofBrowsers<Q extends { readonly caller: SdkCaller }>(answer: (question: Q) => Promise<undefined>) {
  return async (question: Q): Promise<undefined> => {
    if (question.caller.keyKind !== 'client')
      throw fail('WRONG_CREDENTIAL', { reason: 'only a client key may be part of an address' });
    return answer(question);
  };
}

const base64Form = /^[\w+/-]+={0,2}$/;

/** The context of the path or the body, within the limits of the key. Throws `CONTEXT_INVALID` and `BODY_TOO_LARGE`. */
function contextIn({ caller, request, params: { context }, body }: Question): EvaluationContext {
  const limit = contextLimits[caller.keyKind];
  const sent = context === undefined ? undefined : Buffer.from(context, 'base64');
  if ((sent?.length ?? bodyBytes(request)) > limit.bytes) throw fail('BODY_TOO_LARGE', { limit: limit.bytes });
  try {
    if (context !== undefined && !base64Form.test(context)) throw new WrongContext('must be Base64 of its JSON');
    const read = contextOf({ context: engineContext(sent === undefined ? body : parseJson(sent, limit)) }, limit);
    if ('problem' in read) throw new WrongContext(`is not valid: ${read.problem.message}`);
    return read.context;
  } catch (error) {
    if (error instanceof WrongContext) throw fail('CONTEXT_INVALID', { reason: error.message });
    throw error;
  }
}
