/**
 * The HTTP API of Grafana Tempo, for Grafana and other clients of Tempo. `answer.ts` has the errors of Tempo, `traces.ts`
 * writes whole traces as JSON and protobuf.
 */

import { tempoRoutes } from '@fanion/contract';
import type { Message } from '@fanion/telemetry';
import type { Config } from '../../../config.ts';
import type { TraceService } from '../../../features/telemetry/traces/index.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { version } from '../../../version.ts';
import { sendProtobuf, wantsProtobuf } from '../../read/protobuf.ts';
import { type ForeignRequest, type Place, parametersOf, placeOf } from '../../read/request.ts';
import { sendAnswer, sendJson, sendTempoFailure } from './answer.ts';
import type { QueryParts } from './ask.ts';
import {
  instantResponse,
  rangeResponse,
  searchResponse,
  tagsResponse,
  tagsV2Response,
  tagValuesResponse,
  tagValuesV2Response,
} from './messages.ts';
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
      tempoEcho: sending(async (_place, { reply }) => reply.code(200).type('text/plain; charset=utf-8').send('echo')),
      tempoBuildInfo: sending(async (_place, { reply }) => sendJson(reply, buildInfo)),
      tempoTrace: sending(async (place, { params, request, reply }) => {
        const { id, rows } = await rowsOf(place, params.trace_id ?? '');
        if (wantsProtobuf(request)) return sendProtobuf(reply, await traceProtobuf(rows, id));
        return sendJson(reply, { batches: await traceJson(rows, id) });
      }),
      tempoTraceV2: sending(async (place, { params, request, reply }) => {
        const { id, rows } = await rowsOf(place, params.trace_id ?? '');
        if (wantsProtobuf(request)) return sendProtobuf(reply, traceResponse(await traceProtobuf(rows, id)));
        return sendJson(reply, { trace: { resourceSpans: await traceJson(rows, id) }, metrics: {} });
      }),
      tempoSearch: answering(async (place, { query }) => [
        searchResponse,
        await search(parts, place, parametersOf(query), clock.now()),
      ]),
      tempoMetricsRange: answering(async (place, { query }) => [
        rangeResponse,
        await metricsRange(parts, place, parametersOf(query), clock.now()),
      ]),
      tempoMetricsInstant: answering(async (place, { query }) => [
        instantResponse,
        await metricsInstant(parts, place, parametersOf(query), clock.now()),
      ]),
      tempoTags: answering(async (place, { query }) => {
        const scopes = await tagScopes(parts, place, parametersOf(query), clock.now());
        const tagNames = [...new Set(scopes.flatMap(({ name, tags }) => (name === 'intrinsic' ? [] : tags)))].sort();
        return [tagsResponse, { tagNames, metrics: {} }];
      }),
      tempoTagsV2: answering(async (place, { query }) => {
        const scopes = await tagScopes(parts, place, parametersOf(query), clock.now());
        return [tagsV2Response, { scopes, metrics: {} }];
      }),
      tempoTagValues: answering(async (place, { query, params }) => {
        const values = await tagValues(parts, place, params.name ?? '', parametersOf(query), clock.now());
        return [tagValuesResponse, { tagValues: [...new Set(values.map(({ value }) => value))], metrics: {} }];
      }),
      tempoTagValuesV2: answering(async (place, { query, params }) => {
        const values = await tagValues(parts, place, params.name ?? '', parametersOf(query), clock.now());
        return [tagValuesV2Response, { tagValues: values, metrics: {} }];
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

type Sent = (place: Place, context: ForeignRequest) => Promise<unknown>;

function sending(send: Sent) {
  return async (context: ForeignRequest): Promise<undefined> => {
    await send(placeOf(context), context);
    return undefined;
  };
}

type Answered = (place: Place, context: ForeignRequest) => Promise<readonly [message: Message, body: object]>;

function answering(answer: Answered) {
  return sending(async (place, context) => sendAnswer(context, ...(await answer(place, context))));
}
