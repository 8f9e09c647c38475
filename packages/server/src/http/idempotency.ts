import { createHash } from 'node:crypto';
import type { AnyRoute } from '@fanion/contract';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { fail } from '../platform/fail.ts';
import type { JobKind } from '../platform/jobs/index.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Caller } from './caller.ts';
import type { Answer } from './context.ts';
import * as store from './idempotency-store.ts';
import { jsonChunks } from './json-chunks.ts';

const keepMs = 24 * 3_600_000;
/** A request still marked as running after this time died with its server: its key may be used again. */
const abandonedMs = 120_000;

interface IdempotentRequest {
  readonly caller: Caller;
  readonly key: string;
  readonly route: AnyRoute;
  readonly path: string;
  readonly body: unknown;
}

export interface Idempotency {
  /** Runs the request once per caller and key: a replay gets the stored response, another request with the key a conflict. */
  run(request: IdempotentRequest, work: () => Promise<Answer>, reply: FastifyReply): Promise<FastifyReply>;
}

export function createIdempotency({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Idempotency {
  return {
    async run({ caller, key, route, path, body }, work, reply) {
      if (key.length > 255) throw fail('INVALID_INPUT', { reason: 'Idempotency-Key: at most 255 characters' });
      const who = callerName(caller);
      const digest = createHash('sha256').update(`${route.method} ${path}\n`);
      for await (const piece of jsonChunks(body ?? null)) digest.update(piece);
      const hash = digest.digest();
      const isOurs = await store.claim(db, { caller: who, key, hash, now: clock.now(), keepMs, abandonedMs });
      if (!isOurs) {
        const stored = await store.find(db, who, key);
        if (!stored?.request_hash.equals(hash) || stored.state !== 'done' || stored.status === null)
          throw fail('IDEMPOTENCY_CONFLICT');
        reply.code(stored.status).header('idempotent-replayed', 'true');
        return stored.body === null ? reply.send() : reply.type('application/json; charset=utf-8').send(stored.body);
      }
      const { status, headers, payload } = await work().catch(async (error: unknown) => {
        // A rejected request changed nothing; the client may send it again with the same key.
        await store.remove(db, who, key);
        throw error;
      });
      const text = payload === undefined ? null : JSON.stringify(payload);
      // If the response cannot be stored, the work is done anyway: the key stays claimed, so that a replay is a conflict.
      await store
        .finish(db, who, key, route.secret ? { state: 'secret' } : { state: 'done', status, body: text })
        .catch((error: unknown) => log.warn({ err: error }, 'could not store the response to an idempotent request'));
      reply.code(status).headers(headers);
      return text === null ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
    },
  };
}

/** Removes responses that are older than a day. */
export function idempotencyJob(db: Database): JobKind {
  return {
    kind: 'idempotency.remove_expired',
    everyMs: 3_600_000,
    async run(run) {
      await store.removeExpiredKeys(db, new Date(run.now()));
      await run.finish();
    },
  };
}

function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'session':
      return `user:${caller.user.id}`;
    case 'token':
      return `token:${caller.tokenId}`;
    case 'sdk':
      return `sdk:${caller.keyId}`;
    case 'anonymous':
      return 'anonymous';
  }
}
