import { contextLimits, launchDarklyClientRoutes } from '@fanion/contract';
import type { EvaluationContext } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyBytes } from '../../../http/bodies.ts';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { parseJson } from '../../../http/json-body.ts';
import { allowedOrigin } from '../../../http/page-origins.ts';
import type { RawAnswer, RawHeaders } from '../../../http/raw.ts';
import { fail } from '../../../platform/fail.ts';
import {
  contextOf,
  type HeldRuleset,
  heldSince,
  type Rulesets,
  type Streams,
  stateOf,
  taggedAnswer,
  whenHeld,
} from '../evaluation/index.ts';
import { engineContext, WrongContext } from './context-rules.ts';
import { sendLaunchDarklyFailure } from './failure.ts';
import type { Transferred } from './transfer-rules.ts';
import { allValues, polledTransfer, transferFrames, type ValuesOf, valueFrames } from './value-changes.ts';

interface ClientDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
}

interface Question {
  readonly caller: SdkCaller;
  readonly params: { readonly sdk_key?: string; readonly context?: string };
  readonly query: {
    readonly withReasons?: string | undefined;
    /** The key, if it is not in a header. */
    readonly auth?: string | undefined;
    readonly basis?: string | undefined;
  };
  readonly body?: unknown;
  readonly bodyBytes: number;
  readonly headers: RawHeaders;
}

interface StreamQuestion extends Omit<Question, 'bodyBytes' | 'headers'> {
  readonly query: Question['query'] & { readonly seconds?: number | undefined };
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Evaluates for LaunchDarkly's client-side and mobile SDKs, as OFREP does for the same key. */
export function launchDarklyClientHandlers(parts: ClientDependencies): MountedRoute[] {
  const { rulesets } = parts;

  function values(question: Question): RawAnswer | Promise<RawAnswer> {
    const client = clientOf(question);
    return whenHeld(rulesets, question.caller, (held) =>
      taggedAnswer(question.headers, `"${stateFor(client, held)}"`, () => allValues(client, held)),
    );
  }

  function poll(question: Question): RawAnswer | Promise<RawAnswer> {
    const client = clientOf(question);
    const { basis } = question.query;
    return whenHeld(rulesets, question.caller, (held) => {
      const at = transferredOf(client, held);
      const tag = `"${at.state}-${basis === at.state ? 'none' : 'full'}"`;
      return taggedAnswer(question.headers, tag, () => polledTransfer(client, held, at, basis));
    });
  }

  async function stream(question: StreamQuestion): Promise<undefined> {
    const client = clientOf(ofStream(question));
    return open(parts, question, (now, before) => valueFrames(client, before, now));
  }

  async function transfers(question: StreamQuestion): Promise<undefined> {
    const client = clientOf(ofStream(question));
    const { basis } = question.query;
    return open(parts, question, (now, before) =>
      transferFrames(client, { before, now, at: transferredOf(client, now), basis }),
    );
  }

  return implement(
    launchDarklyClientRoutes,
    {
      launchDarklyValues: { plain: ofBrowsers(values) },
      launchDarklyValuesByBody: { plain: ofBrowsers(values) },
      launchDarklyValueStream: ofBrowsers(stream),
      launchDarklyValueStreamByBody: ofBrowsers(stream),
      launchDarklyGoals: { plain: ofBrowsers((_: Pick<Question, 'caller'>) => ({ status: 200, body: '[]' })) },
      launchDarklyMobileValues: { plain: values },
      launchDarklyMobileValuesByBody: { plain: values },
      launchDarklyMobileStream: stream,
      launchDarklyMobileStreamByBody: stream,
      launchDarklyValuePoll: { plain: byEitherKey(poll) },
      launchDarklyValuePollByBody: { plain: byEitherKey(poll) },
      launchDarklyValueTransfers: byEitherKey(transfers),
      launchDarklyValueTransfersByBody: byEitherKey(transfers),
    },
    sendLaunchDarklyFailure,
  );
}

async function open(
  { rulesets, streams }: ClientDependencies,
  { caller, request, reply, query }: StreamQuestion,
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

/** Addresses are seen by others, so a server key must not be in one. */
function ofBrowsers<Q extends { readonly caller: SdkCaller }, Answer>(answer: (question: Q) => Answer) {
  return (question: Q): Answer => {
    if (question.caller.keyKind !== 'client')
      throw fail('WRONG_CREDENTIAL', { reason: 'only a client key may be part of an address' });
    return answer(question);
  };
}

/** The same where only some clients have the key in the address. */
function byEitherKey<Q extends Pick<Question, 'caller' | 'query'>, Answer>(answer: (question: Q) => Answer) {
  const inAddress = ofBrowsers(answer);
  return (question: Q): Answer => (question.query.auth === undefined ? answer(question) : inAddress(question));
}

function ofStream(question: StreamQuestion): Question {
  const { request } = question;
  return { ...question, bodyBytes: bodyBytes(request), headers: request.headers };
}

function clientOf(question: Question): ValuesOf {
  const { caller, query } = question;
  return { caller, context: contextIn(question), withReasons: query.withReasons ?? '' };
}

function stateFor({ caller, context, withReasons }: ValuesOf, { compiled }: HeldRuleset): string {
  return stateOf(caller, compiled, JSON.stringify([context, withReasons]));
}

function transferredOf(client: ValuesOf, held: HeldRuleset): Transferred {
  return { state: stateFor(client, held), version: held.compiled.version };
}

const base64Form = /^[\w+/-]+={0,2}$/;

/** The context of the path or the body, within the limits of the key. Throws `CONTEXT_INVALID` and `BODY_TOO_LARGE`. */
function contextIn({ caller, params: { context }, body, bodyBytes: inBody }: Question): EvaluationContext {
  const limit = contextLimits[caller.keyKind];
  const sent = context === undefined ? undefined : Buffer.from(context, 'base64');
  if ((sent?.length ?? inBody) > limit.bytes) throw fail('BODY_TOO_LARGE', { limit: limit.bytes });
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
