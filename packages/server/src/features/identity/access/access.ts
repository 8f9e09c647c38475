import type { Access, Credentials, SdkCaller } from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { AccessChange } from './changes.ts';
import { CallerFinder } from './credentials.ts';
import { createIngestTokens, type IngestToken } from './ingest-tokens.ts';
import type { KnownKeys } from './known-keys.ts';
import { createMemory } from './remembered.ts';
import { createScopes } from './scopes.ts';

export interface AccessFeature extends Access {
  /** The project that an OTLP token sends to. Throws `UNAUTHENTICATED`, `WRONG_CREDENTIAL` or `PERMISSION_DENIED`. Cached. */
  ingestToken(secret: string | undefined): Promise<IngestToken>;
  /**
   * The caller of an SDK key; synchronous if it is known. Throws `UNAUTHENTICATED`, or `WRONG_CREDENTIAL` for any other
   * credential.
   */
  sdkCaller(credentials: Credentials): SdkCaller | Promise<SdkCaller>;
  /**
   * Call after any change of tokens, keys, members, roles, grants, projects or environments, here or on another replica:
   * nothing that was looked up before counts any more for those whom it concerns.
   */
  forget(change?: AccessChange): void;
  /** Reports each `forget`, for work that outlasts a look-up: streams, tails, long queries. */
  onChange(listener: (change: AccessChange) => void): void;
}

/** Identifies callers and their permissions, from memory if it is certain that nothing has changed. */
export function createAccess({
  db,
  clock,
  knownKeys,
  toldUntil = () => 0,
}: {
  db: Database;
  clock: Clock;
  /** SDK keys that are valid while the control plane is down. */
  knownKeys?: KnownKeys;
  /** Unix milliseconds before which all committed changes were delivered (`Outbox`). Without it, never. */
  toldUntil?: () => number;
}): AccessFeature {
  const memory = createMemory({ clock, toldUntil });
  const credentials = new CallerFinder({ db, clock, memory, knownKeys });
  const scopes = createScopes({ db, memory });
  const ingest = createIngestTokens({
    clock,
    memory,
    apiToken: (secret) => credentials.apiToken(secret),
    scope: scopes.scope,
  });
  const listeners: ((change: AccessChange) => void)[] = [];

  return {
    authenticate: (sent, outage) => credentials.authenticate(sent, outage),
    scope: scopes.scope,
    ingestToken: ingest.ingestToken,
    sdkCaller: (sent) => credentials.sdkCaller(sent),
    forget(change = {}) {
      if (change.keyId !== undefined) knownKeys?.forgetId(change.keyId);
      memory.change();
      for (const part of [credentials, scopes, ingest]) part.forget(change);
      for (const listener of listeners) listener(change);
    },
    onChange(listener) {
      listeners.push(listener);
    },
  };
}
