import { Readable } from 'node:stream';
import { bodyLimits, deliveryRoutes } from '@fanion/contract';
import { type CompiledRuleset, clientView, type Ruleset } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyBytes } from '../../../http/bodies.ts';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { sendFailure, toFailure } from '../../../http/envelope.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { followedBy } from '../../../platform/followed-by.ts';
import { rulesetTag } from './converted.ts';
import { readEventToken } from './event-token.ts';
import { matchesTag, ofrepFailure } from './ofrep.ts';
import { rulesetJson, rulesetPieces, surelyLonger } from './ruleset-json.ts';
import type { HeldRuleset, ReadableRulesets, Rulesets } from './rulesets.ts';
import { lastEventId } from './sse.ts';
import type { Streams } from './streams.ts';

export interface DeliveryDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  readonly clock: Clock;
  /** `secretKey` signs the tickets of event streams. */
  readonly config: { readonly secretKey: Buffer };
}

/** A longer ruleset is streamed while it is serialized, and not cached as text. */
const maxTextLength = 1024 * 1024;

/** Seconds that a hidden page keeps its connection. */
const inactivitySeconds = 120;

/** Throws `UNAUTHENTICATED` if the environment was removed. */
async function heldOf<Held>(rulesets: ReadableRulesets<Held>, environmentId: string): Promise<Held> {
  return required(await rulesets.get(environmentId));
}

function required<Held>(held: Held | undefined): Held {
  if (held === undefined) throw fail('UNAUTHENTICATED', { reason: 'the environment of this key was deleted' });
  return held;
}

/**
 * The ruleset, at least as new as the version that the client has seen or was notified of: a replica that learns of a
 * change late must not revert it.
 */
export async function heldSince<Held extends Pick<HeldRuleset, 'compiled'>>(
  rulesets: ReadableRulesets<Held>,
  environmentId: string,
  seen: number | undefined,
): Promise<Held> {
  const held = await heldOf(rulesets, environmentId);
  if (seen === undefined || held.compiled.version >= seen) return held;
  await rulesets.refresh([environmentId]).catch(() => {
    // With the control plane down, the copy in memory is the best available.
  });
  return heldOf(rulesets, environmentId);
}

/** Answers from what the environment of a key serves, at once if it is loaded. Throws `UNAUTHENTICATED` if it was removed. */
export function whenHeld<Answer>(
  rulesets: Rulesets,
  { environmentId }: Pick<SdkCaller, 'environmentId'>,
  answer: (held: HeldRuleset) => Answer,
): Answer | Promise<Answer> {
  return followedBy(rulesets.get(environmentId), (held) => answer(required(held)));
}

/** The rules that a server key reads in the clear. Throws `WRONG_CREDENTIAL` for other keys. */
export function rulesFor(rulesets: Rulesets, caller: SdkCaller): Promise<HeldRuleset> {
  requireServerKey(caller);
  return heldSince(rulesets, caller.environmentId, undefined);
}

/** The same for a door that encrypts them where the key says so. */
export function encryptableRulesFor(rulesets: Rulesets, caller: SdkCaller): Promise<HeldRuleset> {
  requireKindOfServers(caller);
  return heldSince(rulesets, caller.environmentId, undefined);
}

/** What a key may evaluate: with a client key, only what pages may see. */
export function viewFor({ keyKind }: Pick<SdkCaller, 'keyKind'>, compiled: CompiledRuleset): CompiledRuleset {
  return keyKind === 'client' ? clientView(compiled) : compiled;
}

/** What the environment of a key serves it now. */
export async function servedTo(
  rulesets: ReadableRulesets<Pick<HeldRuleset, 'compiled'>>,
  caller: Pick<SdkCaller, 'environmentId' | 'keyKind'>,
): Promise<CompiledRuleset> {
  return viewFor(caller, (await heldSince(rulesets, caller.environmentId, undefined)).compiled);
}

/** A page sends little at once, and its key is public. Throws `BODY_TOO_LARGE`. */
export function requireFewBytes({ keyKind }: Pick<SdkCaller, 'keyKind'>, request: FastifyRequest): void {
  const { bytes } = bodyLimits.ordinary;
  if (keyKind === 'client' && bodyBytes(request) > bytes) throw fail('BODY_TOO_LARGE', { limit: bytes });
}

/** `eventStreams` of an OFREP bulk answer, as JSON text. */
export function eventStreams(token: string): string {
  return `[{"type":"sse","endpoint":{"requestUri":"/ofrep/v1/events?token=${token}"},"inactivityDelaySec":${inactivitySeconds}}]`;
}

/** Delivers rulesets to SDKs, and change notifications to web clients. */
export function deliveryHandlers({ rulesets, streams, clock, config }: DeliveryDependencies): MountedRoute[] {
  return implement(
    deliveryRoutes,
    {
      async getRuleset({ caller, request, reply, requestId }) {
        requireServerKey(caller);
        const { ruleset } = await heldOf(rulesets, caller.environmentId);
        const tag = rulesetTag(caller.environmentId, ruleset);
        reply.header('etag', tag).header('cache-control', 'private, no-cache');
        if (matchesTag(request.headers['if-none-match'], tag)) {
          reply.code(304).send();
          return undefined;
        }
        const meta = `{"request_id":${JSON.stringify(requestId)}}`;
        const end = `,"error":null,"meta":${meta}}`;
        reply.header('content-type', 'application/json; charset=utf-8');
        if (surelyLonger(ruleset, maxTextLength)) reply.send(Readable.from(enclosed('{"data":', ruleset, end)));
        else reply.send(`{"data":${rulesetJson(ruleset)}${end}`);
        return undefined;
      },

      async streamRuleset({ caller, query: { seconds }, request, reply }) {
        requireServerKey(caller);
        const { environmentId, keyId } = caller;
        const seen = lastEventId(request.headers['last-event-id']);
        const held = await heldSince(rulesets, environmentId, seen?.version);
        streams.open('ruleset', { environmentId, keyId, held, response: reply.raw, seen, seconds });
        reply.hijack();
        return undefined;
      },

      async ofrepEvents({ query, request, reply }) {
        const ticket = readEventToken(config.secretKey, query.token, clock.now());
        if (ticket === undefined || !(await streams.isLive(ticket.keyId)))
          throw fail('UNAUTHENTICATED', {
            reason: 'the address of this stream has expired; evaluate again to get a new one',
          });
        const seen = lastEventId(request.headers['last-event-id']);
        const held = await heldSince(rulesets, ticket.environmentId, seen?.version);
        // The ticket is the only credential; no cookie counts. Any page that has it may listen.
        const headers = { 'access-control-allow-origin': '*' };
        streams.open('refetch', { ...ticket, held, response: reply.raw, headers, seen, seconds: query.seconds });
        reply.hijack();
        return undefined;
      },
    },
    sendProtocolFailure,
  );
}

/** A failure in the form of its protocol: OFREP's, or the envelope. */
export function sendProtocolFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!request.url.startsWith('/ofrep/')) return sendFailure(error, request, reply);
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
  const { status, body } = ofrepFailure(failure, undefined);
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
}

function* enclosed(begin: string, ruleset: Ruleset, end: string): Generator<string> {
  yield begin;
  yield* rulesetPieces(ruleset);
  yield end;
}

/** Whether a key reads rules in the clear. Throws `WRONG_CREDENTIAL`. */
export function requireServerKey(caller: SdkCaller): void {
  requireKindOfServers(caller);
  if (caller.payloadKey !== null)
    throw fail('WRONG_CREDENTIAL', { reason: 'this key reads rules only encrypted, at /growthbook/api/features' });
}

function requireKindOfServers({ keyKind }: SdkCaller): void {
  if (keyKind !== 'server')
    throw fail('WRONG_CREDENTIAL', { reason: 'a client key can evaluate flags but cannot read rules' });
}
