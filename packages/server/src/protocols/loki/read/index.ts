/**
 * The read part of Loki's HTTP API, for Grafana and logcli. `logql` parses a query; `push-rules.ts` writes the conditions that the store can decide as
 * OQL; what remains of a pipeline runs over the lines that the store returned (`pipeline-rules.ts`). Functions of lines become series
 * (`series.ts`), over which PromQL's engine computes aggregations and operations (`metrics.ts`).
 */

import { lokiRoutes } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config.ts';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import type { Tails } from '../../../features/telemetry/tail/index.ts';
import type { Access } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { LiveUses } from '../../../http/live-uses.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { version } from '../../../version.ts';
import { type ForeignRequest, type Parameters, type Place, parametersOf, placeOf } from '../../read/request.ts';
import { explained, send, sendBare, sendLokiFailure } from './answer.ts';
import { detectedFields, detectedFieldValues, detectedLabels } from './detected.ts';
import { formatLogql } from './format.ts';
import { type Reader, readerOf } from './lines.ts';
import { labelNames, labelValues, streams } from './lists.ts';
import { windowOf } from './parameter-rules.ts';
import { patterns } from './patterns.ts';
import { instant, type QueryParts, range } from './queries.ts';
import { tail } from './tail.ts';
import { indexStats, volume, volumeRange } from './volumes.ts';

interface LokiDependencies {
  readonly gateway: Gateway;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'loki' | 'query'>;
  readonly tails: Tails;
  readonly access: Access;
  readonly uses: LiveUses;
}

type List = (reader: Reader, parameters: Parameters, path: ForeignRequest['params']) => Promise<unknown>;

/** The routes, for the listeners. */
export function lokiReadRoutes(dependencies: LokiDependencies): MountedRoute[] {
  const { gateway, history, clock, config, tails, access, uses } = dependencies;
  const limits = config.loki;
  const parts: QueryParts = { gateway, history, limits, seconds: config.query.seconds, now: () => clock.now() };
  const windowNow = (parameters: Parameters) => windowOf(parameters, clock.now());
  const query = answering((place, parameters) => instant(parts, place, parameters));
  const queryRange = answering((place, parameters, { request }) =>
    range(parts, place, parameters, isCategorized(request)),
  );
  const listed = (list: List) =>
    answering((place, parameters, { params }) => list(readerOf(gateway, limits, place), parameters, params));
  /** Not in an envelope. */
  const bare = (list: List) =>
    answering((place, parameters, { params }) => list(readerOf(gateway, limits, place), parameters, params), sendBare);
  const labels = listed((reader, parameters) => labelNames(reader, parameters, windowNow(parameters)));
  const series = listed((reader, parameters) => streams(reader, parameters, windowNow(parameters)));
  const formatted = answering(async (_place, parameters) => formatLogql(parameters.one('query') ?? ''));
  return implement(
    lokiRoutes,
    {
      lokiQuery: query,
      lokiQueryForm: query,
      lokiQueryRange: queryRange,
      lokiQueryRangeForm: queryRange,
      lokiLabels: labels,
      lokiLabelsForm: labels,
      lokiLabelValues: listed((reader, parameters, { name = '' }) =>
        labelValues(reader, name, parameters, windowNow(parameters)),
      ),
      lokiSeries: series,
      lokiSeriesForm: series,
      lokiFormatQuery: formatted,
      lokiFormatQueryForm: formatted,
      lokiTail: async (context) => {
        try {
          await tail({ ...parts, tails, access, uses }, context);
        } catch (error) {
          throw explained(error);
        }
        return undefined;
      },
      lokiVolume: listed((reader, parameters) => volume(reader, parameters, windowNow(parameters))),
      lokiVolumeRange: listed((reader, parameters) => volumeRange(reader, parameters, clock.now())),
      lokiPatterns: listed((reader, parameters) => patterns(reader, parameters, clock.now())),
      lokiIndexStats: bare((reader, parameters) => indexStats(reader, parameters, windowNow(parameters))),
      lokiDetectedLabels: bare((reader, parameters) => detectedLabels(reader, parameters, windowNow(parameters))),
      lokiDetectedFields: bare((reader, parameters) => detectedFields(reader, parameters, windowNow(parameters))),
      lokiDetectedFieldValues: bare((reader, parameters, { name = '' }) =>
        detectedFieldValues(reader, name, parameters, windowNow(parameters)),
      ),
      lokiRules: constant('application/yaml', '{}\n'),
      lokiReady: constant('text/plain', 'ready\n'),
      lokiBuildInfo: constant('application/json', buildInfo),
    },
    sendLokiFailure,
  );
}

/** The version of Loki whose API this is. */
const buildInfo = {
  version: '3.4.0',
  revision: `fanion ${version}`,
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
};

function isCategorized({ headers }: FastifyRequest): boolean {
  const flags = headers['x-loki-response-encoding-flags'];
  return String(flags ?? '')
    .split(',')
    .some((flag) => flag.trim() === 'categorize-labels');
}

function answering(
  answer: (place: Place, parameters: Parameters, context: ForeignRequest) => Promise<unknown>,
  sendAnswer: (reply: FastifyReply, data: unknown) => FastifyReply = send,
): (context: ForeignRequest) => Promise<undefined> {
  return async (context) => {
    const { query, body, reply } = context;
    try {
      sendAnswer(reply, await answer(placeOf(context), parametersOf(query, body), context));
    } catch (error) {
      throw explained(error);
    }
    return undefined;
  };
}

/** Sends what is the same for everybody, without an envelope. */
function constant(type: string, body: string | object) {
  return async ({ reply }: Pick<ForeignRequest, 'reply'>) => {
    reply.code(200).type(type).send(body);
    return undefined;
  };
}
