/**
 * The HTTP API of Grafana Tempo, for Grafana and other clients of Tempo. `answer.ts` has the errors of Tempo, `traces.ts`
 * writes whole traces as JSON and protobuf.
 */

import { tempoRoutes } from '@fanion/contract';
import type { FastifyReply } from 'fastify';
import type { Config } from '../../../config.ts';
import type { TraceService } from '../../../features/telemetry/traces/index.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { version } from '../../../version.ts';
import { type ForeignRequest, type Place, parametersOf, placeOf } from '../../read/request.ts';
import { sendJson, sendTempoFailure, wantsProtobuf } from './answer.ts';
import type { QueryParts } from './ask.ts';
import { metricsInstant, metricsRange } from './metrics.ts';
import { search } from './search.ts';
import { tagScopes, tagValues } from './tags.ts';
import { findTrace, traceIdOf, traceJson, traceProtobuf, traceResponse } from './traces.ts';

export interface TempoParts extends Omit<QueryParts, 'limits'> {
  readonly traces: Pick<TraceService, 'spans'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'tempo'>;
}

/** The routes, for the listeners. */
export function tempoReadRoutes({ traces, gateway, history, clock, config }: TempoParts): MountedRoute[] {
  const parts: QueryParts = { gateway, history, limits: config.tempo };
  const rowsOf = async (place: Place, text: string) => {
    const id = traceIdOf(text);
    return { id, rows: await findTrace(traces, place, id) };
  };

  return implement(
    tempoRoutes,
    {
      tempoEcho: answering(async (_place, { reply }) => reply.code(200).type('text/plain; charset=utf-8').send('echo')),
      tempoBuildInfo: answering(async (_place, { reply }) => sendJson(reply, buildInfo)),
      tempoTrace: answering(async (place, { params, request, reply }) => {
        const { id, rows } = await rowsOf(place, params.trace_id ?? '');
        if (wantsProtobuf(request)) return sendProtobuf(reply, await traceProtobuf(rows, id));
        return sendJson(reply, { batches: await traceJson(rows, id) });
      }),
      tempoTraceV2: answering(async (place, { params, request, reply }) => {
        const { id, rows } = await rowsOf(place, params.trace_id ?? '');
        if (wantsProtobuf(request)) return sendProtobuf(reply, traceResponse(await traceProtobuf(rows, id)));
        return sendJson(reply, { trace: { resourceSpans: await traceJson(rows, id) }, metrics: {} });
      }),
      tempoSearch: answering(async (place, { query, reply }) =>
        sendJson(reply, await search(parts, place, parametersOf(query), clock.now())),
      ),
      tempoMetricsRange: answering(async (place, { query, reply }) =>
        sendJson(reply, await metricsRange(parts, place, parametersOf(query), clock.now())),
      ),
      tempoMetricsInstant: answering(async (place, { query, reply }) =>
        sendJson(reply, await metricsInstant(parts, place, parametersOf(query), clock.now())),
      ),
      tempoTags: answering(async (place, { query, reply }) => {
        const scopes = await tagScopes(parts, place, parametersOf(query), clock.now());
        const tagNames = [...new Set(scopes.flatMap(({ name, tags }) => (name === 'intrinsic' ? [] : tags)))].sort();
        return sendJson(reply, { tagNames, metrics: {} });
      }),
      tempoTagsV2: answering(async (place, { query, reply }) =>
        sendJson(reply, { scopes: await tagScopes(parts, place, parametersOf(query), clock.now()), metrics: {} }),
      ),
      tempoTagValues: answering(async (place, { query, params, reply }) => {
        const values = await tagValues(parts, place, params.name ?? '', parametersOf(query), clock.now());
        return sendJson(reply, { tagValues: [...new Set(values.map(({ value }) => value))], metrics: {} });
      }),
      tempoTagValuesV2: answering(async (place, { query, params, reply }) => {
        const values = await tagValues(parts, place, params.name ?? '', parametersOf(query), clock.now());
        return sendJson(reply, { tagValues: values, metrics: {} });
      }),
    },
    sendTempoFailure,
  );
}

/** The version of Tempo whose API this is: clients choose by it what they ask. */
const buildInfo = {
  version: '2.8.0',
  revision: `fanion ${version}`,
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
};

function sendProtobuf(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return reply.code(200).type('application/protobuf').send(bytes);
}

function answering(answer: (place: Place, context: ForeignRequest) => Promise<unknown>) {
  return async (context: ForeignRequest): Promise<undefined> => {
    await answer(placeOf(context), context);
    return undefined;
  };
}
