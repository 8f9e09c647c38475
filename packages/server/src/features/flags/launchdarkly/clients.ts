import { contextLimits, launchDarklyClientRoutes } from '@fanion/contract';
import { type EvaluationContext, timeTag } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyBytes } from '../../../http/bodies.ts';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { parseJson } from '../../../http/json-body.ts';
import { allowedOrigin } from '../../../http/page-origins.ts';
import { fail } from '../../../platform/fail.ts';
import {
  contextOf,
  fingerprint,
  type HeldRuleset,
  heldSince,
  type Rulesets,
  type Streams,
  sendTagged,
} from '../evaluation/index.ts';
import { engineContext, WrongContext } from './context-rules.ts';
import { sendLaunchDarklyFailure } from './failure.ts';
import { jsonOf, type Transferred } from './transfer-rules.ts';
import { allTransfers, allValues, transferFrames, type ValuesOf, valueFrames } from './value-changes.ts';

interface ClientDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
}

interface Question {
  readonly caller: SdkCaller;
  readonly params: { readonly sdk_key?: string; readonly context?: string };
  readonly query: {
    readonly withReasons?: string | undefined;
    readonly seconds?: number | undefined;
    /** The key, if it is not in a header. */
    readonly auth?: string | undefined;
    readonly basis?: string | undefined;
  };
  readonly body?: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Evaluates for LaunchDarkly's client-side and mobile SDKs, as OFREP does for the same key. */
export function launchDarklyClientHandlers({ rulesets, streams }: ClientDependencies): MountedRoute[] {
  async function values(question: Question): Promise<undefined> {
    const { caller } = question;
    const client = clientOf(question);
    const held = await heldSince(rulesets, caller.environmentId, undefined);
    return sendTagged(question, `"${stateOf(client, held)}"`, () => allValues(client, held));
  }

  async function stream(question: Question): Promise<undefined> {
    const client = clientOf(question);
    return open(question, (now, before) => valueFrames(client, before, now));
  }

  async function poll(question: Question): Promise<undefined> {
    const { caller, query } = question;
    const client = clientOf(question);
    const held = await heldSince(rulesets, caller.environmentId, undefined);
    const at = transferredOf(client, held);
    const tag = `"${at.state}-${query.basis === at.state ? 'none' : 'full'}"`;
    return sendTagged(question, tag, () => jsonOf(allTransfers(client, held, at, query.basis)));
  }

  async function transfers(question: Question): Promise<undefined> {
    const client = clientOf(question);
    const { basis } = question.query;
    return open(question, (now, before) =>
      transferFrames(client, { before, now, at: transferredOf(client, now), basis }),
    );
  }

  async function open(
    { caller, request, reply, query }: Question,
    answers: (now: HeldRuleset, before: HeldRuleset | undefined) => Buffer,
  ): Promise<undefined> {
    const { environmentId, keyId } = caller;
    const held = await heldSince(rulesets, environmentId, undefined);
    const headers = allowedOrigin(caller, request.headers.origin) ?? {};
    const stream = {
      environmentId,
      keyId,
      held,
      response: reply.raw,
      headers,
      seen: undefined,
      seconds: query.seconds,
    };
    streams.open({ answers }, stream);
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
      launchDarklyValuePoll: byEitherKey(poll),
      launchDarklyValuePollByBody: byEitherKey(poll),
      launchDarklyValueTransfers: byEitherKey(transfers),
      launchDarklyValueTransfersByBody: byEitherKey(transfers),
    },
    sendLaunchDarklyFailure,
  );
}

/** Addresses are seen by others, so a server key must not be in one. */
function ofBrowsers<Q extends { readonly caller: SdkCaller }>(answer: (question: Q) => Promise<undefined>) {
  return async (question: Q): Promise<undefined> => {
    if (question.caller.keyKind !== 'client')
      throw fail('WRONG_CREDENTIAL', { reason: 'only a client key may be part of an address' });
    return answer(question);
  };
}

/** The same where only some clients have the key in the address. */
function byEitherKey(answer: (question: Question) => Promise<undefined>) {
  const inAddress = ofBrowsers(answer);
  return (question: Question) => (question.query.auth === undefined ? answer(question) : inAddress(question));
}

function clientOf(question: Question): ValuesOf {
  const { caller, query } = question;
  return { caller, context: contextIn(question), withReasons: query.withReasons ?? '' };
}

/** Differs where the values can differ. */
function stateOf({ caller, context, withReasons }: ValuesOf, { compiled }: HeldRuleset): string {
  const asked = fingerprint(Buffer.from(JSON.stringify([context, withReasons])));
  return `${caller.environmentId}-${compiled.version}-${asked}${timeTag(compiled)}-${caller.keyKind}`;
}

function transferredOf(client: ValuesOf, held: HeldRuleset): Transferred {
  return { state: stateOf(client, held), version: held.compiled.version };
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
