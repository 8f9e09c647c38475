import { createHash } from 'node:crypto';
import type { AnyRoute } from '@fanion/contract';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { fail } from '../platform/fail.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Caller } from './caller.ts';
import type { Answer } from './mount.ts';

const keepMs = 24 * 3_600_000;
/** A request that is still marked as running after this long died with its server: its key may be used again. */
const abandonedMs = 120_000;

interface IdempotentRequest {
  readonly caller: Caller;
  readonly key: string;
  readonly route: AnyRoute;
  readonly path: string;
  readonly body: unknown;
}

export interface Idempotency {
  /** Runs the request once per caller and key: a replay gets the stored answer, another request under the key a conflict. */
  run(request: IdempotentRequest, work: () => Promise<Answer>, reply: FastifyReply): Promise<FastifyReply>;
}

export function createIdempotency(db: Database, clock: Clock): Idempotency {
  return {
    async run({ caller, key, route, path, body }, work, reply) {
      if (key.length > 255) throw fail('INVALID_INPUT', { reason: 'Idempotency-Key: at most 255 characters' });
      const who = callerName(caller);
      const hash = createHash('sha256')
        .update(`${route.method} ${path}\n${JSON.stringify(body ?? null)}`)
        .digest();
      const now = clock.now();
      const claimed = await db
        .insertInto('idempotency_keys')
        .values({
          caller: who,
          key,
          request_hash: hash,
          state: 'running',
          status: null,
          body: null,
          created_at: new Date(now),
          expires_at: new Date(now + keepMs),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['caller', 'key'])
            .doUpdateSet({
              request_hash: hash,
              state: 'running',
              status: null,
              body: null,
              created_at: new Date(now),
              expires_at: new Date(now + keepMs),
            })
            .where((eb) =>
              eb.or([
                eb('idempotency_keys.expires_at', '<=', new Date(now)),
                eb.and([
                  eb('idempotency_keys.state', '=', 'running'),
                  eb('idempotency_keys.created_at', '<=', new Date(now - abandonedMs)),
                ]),
              ]),
            ),
        )
        .returning('key')
        .executeTakeFirst();
      if (claimed === undefined) {
        const stored = await db
          .selectFrom('idempotency_keys')
          .selectAll()
          .where('caller', '=', who)
          .where('key', '=', key)
          .executeTakeFirst();
        if (!stored?.request_hash.equals(hash) || stored.state !== 'done' || stored.status === null)
          throw fail('IDEMPOTENCY_CONFLICT');
        reply.code(stored.status).header('idempotent-replayed', 'true');
        return stored.body === null ? reply.send() : reply.type('application/json; charset=utf-8').send(stored.body);
      }
      try {
        const { status, headers, payload } = await work();
        const text = payload === undefined ? null : JSON.stringify(payload);
        await db
          .updateTable('idempotency_keys')
          .set(route.secret ? { state: 'secret' } : { state: 'done', status, body: text })
          .where('caller', '=', who)
          .where('key', '=', key)
          .execute();
        reply.code(status).headers(headers);
        return text === null ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
      } catch (error) {
        // A refused request changed nothing; it may be sent again under the same key.
        await db.deleteFrom('idempotency_keys').where('caller', '=', who).where('key', '=', key).execute();
        throw error;
      }
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

/** Removes the keys that nobody can replay any more; for a job. */
export async function removeExpiredKeys(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute();
}
