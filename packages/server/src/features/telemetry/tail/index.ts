import { tailRoutes } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { credentialsOf } from '../../../http/identify.ts';
import type { LiveUses } from '../../../http/live-uses.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { checkedCondition } from '../query/index.ts';
import { startOf } from './rules.ts';
import { sseSink } from './sse-sink.ts';
import { columnsOf, createTailQuery } from './store.ts';
import type { Tails } from './tails.ts';

export { type Look, lookOf, maxRowsOfLook, type SeenRow, startOf } from './rules.ts';
export { tailSettings } from './settings.ts';
export type { TailSink } from './sink.ts';
export { rowKey, type TailQuery } from './store.ts';
export { createTails, type Tails } from './tails.ts';

/** Live tail: telemetry as it arrives. */
export const tailFeature = {
  name: 'telemetry/tail',
  routes: handlers,
  stop: ({ tails }: { tails: Tails }) => tails.stop(),
} satisfies Feature;

function handlers({
  tails,
  gateway,
  access,
  uses,
  clock,
}: {
  tails: Tails;
  gateway: Gateway;
  access: Access;
  uses: LiveUses;
  clock: Clock;
}): MountedRoute[] {
  return implement(tailRoutes, {
    async tailTelemetry({ workspace, narrowed, caller, query, request, reply, signal }) {
      const nowMs = clock.now();
      const { source } = query;
      const call = { compiler: gateway.compiler, workspace: workspace.number, signal };
      const condition = query.where === undefined ? 'true' : await checkedCondition(source, query.where, 'where', call);
      const lastEventId = request.headers['last-event-id'];
      const startNs = startOf(
        {
          fromNs: query.from === undefined ? undefined : parseTime(query.from, 'from', nowMs),
          lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
        },
        BigInt(nowMs) * 1_000_000n,
      );
      const { project, environment } = query;
      const look = () => recheckTail(access, request, { workspace: workspace.id, project, environment });
      const tail = {
        workspace: workspace.number,
        requestId: request.id,
        query: createTailQuery(gateway, scopeOf({ workspace, narrowed }), source, condition),
        startNs,
        lastsMs: query.seconds === undefined ? undefined : query.seconds * 1000,
        recheck: look,
      };
      const sink = sseSink(reply.raw, setHeaders(reply.getHeaders()), columnsOf[source]);
      const end = tails.enter(workspace.number).follow(tail, sink);
      whenClosed(reply.raw, uses.add({ userId: caller.user.id, workspaceId: workspace.id, recheck: look, end }));
      reply.hijack();
      return undefined;
    },
  });
}

function setHeaders(headers: Readonly<Record<string, number | string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Checks access again, since a stream can outlast its session, token or membership. Throws as a request would. */
export async function recheckTail(
  access: Access,
  request: FastifyRequest,
  names: { workspace: string; project: string | undefined; environment: string | undefined },
): Promise<void> {
  const caller = await access.authenticate(credentialsOf(request));
  if (caller.kind !== 'session' && caller.kind !== 'token') throw fail('UNAUTHENTICATED', { reason: 'log in again' });
  await requireReadable(access, caller, names);
}
