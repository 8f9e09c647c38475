import { randomBytes } from 'node:crypto';
import type { Ruleset } from '@fanion/flag-engine';
import type { SdkCaller } from '../../../http/caller.ts';
import { eventFrame } from '../../../http/sse.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Steps } from '../../../platform/steps.ts';
import { openPayloadKey } from '../../identity/tokens/index.ts';
import { maxEventBytes, perRuleset } from '../evaluation/index.ts';
import { growthBookFeatures } from './convert-rules.ts';
import { encrypted, ivBytes } from './encrypt.ts';

/** The features of a ruleset. */
export interface Payload {
  readonly text: string;
  /** Undefined: they are too large for one. */
  readonly event: Buffer | undefined;
  /** Whether the SDK can evaluate every flag. */
  readonly isComplete: boolean;
}

interface Written {
  readonly features: string;
  readonly plain: Payload;
  /** By the id of the SDK key. */
  readonly encrypted: Map<string, Payload>;
}

/** Encrypted payloads of one version that are kept. Those of further keys are encrypted each time. */
const mostKept = 20;

/** The event that lets an SDK ask again. */
export const updated = eventFrame('features-updated', undefined, '{}');

/** What the SDKs of one key read, made once for all its streams and requests. */
export function createPayloads(encryption: Encryption): (ruleset: Ruleset, caller: SdkCaller) => Promise<Payload> {
  const writtenOf = perRuleset(writtenFor);
  return async (ruleset, { keyId, payloadKey }) => {
    const written = await writtenOf(ruleset);
    if (payloadKey === null) return written.plain;
    const known = written.encrypted.get(keyId);
    if (known !== undefined) return known;
    const key = openPayloadKey(encryption, keyId, payloadKey);
    const secret = encrypted(written.features, key, randomBytes(ivBytes));
    // GrowthBook's own servers send both, the first one empty.
    const text = JSON.stringify({ status: 200, features: {}, encryptedFeatures: secret });
    const payload = payloadOf(text, written.plain.isComplete);
    if (written.encrypted.size < mostKept) written.encrypted.set(keyId, payload);
    return payload;
  };
}

function* writtenFor(ruleset: Ruleset): Steps<Written> {
  const all = yield* growthBookFeatures(ruleset);
  const features = JSON.stringify(all);
  const isComplete = Object.keys(all).length === Object.keys(ruleset.flags).length;
  const plain = payloadOf(`{"status":200,"features":${features}}`, isComplete);
  return { features, plain, encrypted: new Map() };
}

function payloadOf(text: string, isComplete: boolean): Payload {
  return { text, isComplete, event: text.length > maxEventBytes ? undefined : eventFrame('features', undefined, text) };
}

/** The SDK for Go, which reads no other event than `features`, and has no remote evaluation. */
const readsOnlyFeatures = (userAgent = '') => userAgent.endsWith(' Go SDK client');

/**
 * The event of a change. A client with remote evaluation has the same address as others: it must not lose what only the server can
 * evaluate.
 */
export function eventOf({ event, isComplete }: Payload, userAgent: string | undefined): Buffer {
  return event !== undefined && (isComplete || readsOnlyFeatures(userAgent)) ? event : updated;
}
