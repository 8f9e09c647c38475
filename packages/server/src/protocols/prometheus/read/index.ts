/**
 * Prometheus' HTTP API, for Grafana and other clients of Prometheus. `features/telemetry/promql` evaluates queries and
 * finds series; `answer.ts` has the envelope and the errors of Prometheus.
 */

import { prometheusRoutes } from '@fanion/contract';
import type { FastifyReply } from 'fastify';
import { createAlertHistory } from '../../../features/alerting/alert-rules/index.ts';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import { type Asked, type PromqlEvaluator, storeOf, unescapeName } from '../../../features/telemetry/promql/index.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import { version } from '../../../version.ts';
import type { ForeignRequest, Place } from '../../read/request.ts';
import { type Parameters, parametersOf, placeOf } from '../../read/request.ts';
import { enveloped, send, sendPrometheusFailure, sendText } from './answer.ts';
import { exemplarsOf } from './exemplars.ts';
import { labelNames, labelValues, metadataOf, seriesLabels, tsdbStatus } from './lists.ts';
import { windowOf } from './parameter-rules.ts';
import { formatted, instant, parsed, type QueryParts, range } from './queries.ts';
import { remoteRead } from './remote-read.ts';
import { labelsJson } from './result-json.ts';
import { listAlerts, listGroups, type RuleListParts } from './rule-lists.ts';
import { treeOf } from './tree-rules.ts';

type PrometheusDependencies = {
  readonly gateway: Gateway;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly clock: Clock;
  readonly promql: PromqlEvaluator;
} & RuleListParts;

/** The routes, for the listeners. */
export function prometheusReadRoutes(dependencies: PrometheusDependencies): MountedRoute[] {
  const { clock, db, access } = dependencies;
  const startedAt = clock.now();
  const rules = { db, access, clock };
  const questions = questionsOf(dependencies);
  const constant = (data: unknown) => answering(async (_place, _parameters, reply) => send(reply, data));

  return implement(
    prometheusRoutes,
    {
      prometheusQuery: questions.query,
      prometheusQueryForm: questions.query,
      prometheusQueryRange: questions.queryRange,
      prometheusQueryRangeForm: questions.queryRange,
      prometheusSeries: questions.series,
      prometheusSeriesForm: questions.series,
      prometheusLabels: questions.labels,
      prometheusLabelsForm: questions.labels,
      prometheusLabelValues: questions.values,
      prometheusExemplars: questions.exemplars,
      prometheusExemplarsForm: questions.exemplars,
      prometheusFormatQuery: questions.formatQuery,
      prometheusFormatQueryForm: questions.formatQuery,
      prometheusParseQuery: questions.parseQuery,
      prometheusParseQueryForm: questions.parseQuery,
      prometheusMetadata: questions.metadata,
      prometheusRules: answering(async (place, parameters, reply) => {
        const { data, warnings } = await listGroups(rules, place, parameters);
        return send(reply, data, { warnings });
      }),
      prometheusAlerts: answering(async (place, _parameters, reply) => {
        const { data, warnings } = await listAlerts(rules, place);
        return send(reply, data, { warnings });
      }),
      prometheusTargets: constant({ activeTargets: [], droppedTargets: [], droppedTargetCounts: {} }),
      prometheusBuildInfo: constant(buildInfo),
      prometheusFlags: constant({}),
      prometheusConfig: constant({ yaml: '' }),
      prometheusRuntimeInfo: constant(runtimeInfo(startedAt)),
      prometheusTsdb: questions.tsdb,
      prometheusRead: async ({ workspace, narrowed, caller, signal, body, reply }) => {
        const bytes = await remoteRead(questions.parts, { workspace, narrowed, caller, signal }, body);
        reply.code(200).type('application/x-protobuf').header('content-encoding', 'snappy').send(bytes);
        return undefined;
      },
    },
    sendPrometheusFailure,
  );
}

function questionsOf({ gateway, history, clock, promql, db, access }: PrometheusDependencies) {
  const alertHistory = createAlertHistory({ db, access, clock });
  const alertsOf = ({ workspace, narrowed, caller }: Place) => alertHistory({ workspace, ...narrowed }, caller);
  const parts: QueryParts = { promql, store: storeOf(gateway, 'interactive'), history, alertsOf };
  const askedBy = (place: Place): Asked => ({
    store: parts.store,
    scope: scopeOf(place),
    limits: promql.limits,
    signal: place.signal,
    alerts: alertsOf(place),
  });

  const windowNow = (parameters: Parameters) => windowOf(parameters, clock.now());

  const query = answering(async (place, parameters, reply) =>
    sendText(reply, await instant(parts, place, parameters, clock.now())),
  );
  const queryRange = answering(async (place, parameters, reply) =>
    sendText(reply, await range(parts, place, parameters)),
  );
  const series = answering(async (place, parameters, reply) => {
    const { items, warnings } = await seriesLabels(askedBy(place), parameters, windowNow(parameters));
    return sendText(reply, enveloped(`[${items.map(labelsJson).join(',')}]`, { warnings }));
  });
  const labels = answering(async (place, parameters, reply) => {
    const { items, warnings } = await labelNames(askedBy(place), parameters, windowNow(parameters));
    return send(reply, items, { warnings });
  });
  const formatQuery = answering(async (_place, parameters, reply) => send(reply, formatted(parameters.one('query'))));
  const parseQuery = answering(async (_place, parameters, reply) =>
    send(reply, treeOf(parsed(parameters.one('query')))),
  );
  const exemplars = answering(async (place, parameters, reply) =>
    send(reply, await exemplarsOf(askedBy(place), parameters, windowNow(parameters))),
  );
  const values = answering(async (place, parameters, reply, path) => {
    const window = windowNow(parameters);
    const { items, warnings } = await labelValues(askedBy(place), unescapeName(path.name ?? ''), parameters, window);
    return send(reply, items, { warnings });
  });
  const metadata = answering(async (place, parameters, reply) =>
    send(reply, await metadataOf(askedBy(place), parameters, windowNow(parameters))),
  );
  const tsdb = answering(async (place, parameters, reply) =>
    send(reply, await tsdbStatus(askedBy(place), parameters, windowNow(parameters))),
  );
  return { parts, query, queryRange, formatQuery, parseQuery, exemplars, series, labels, values, metadata, tsdb };
}

function runtimeInfo(startedAt: number) {
  return {
    startTime: new Date(startedAt).toISOString(),
    CWD: '',
    reloadConfigSuccess: true,
    lastConfigTime: new Date(startedAt).toISOString(),
    corruptionCount: 0,
    goroutineCount: 0,
    GOMAXPROCS: 0,
    GOMEMLIMIT: 0,
    GOGC: '',
    GODEBUG: '',
    storageRetention: '',
  };
}

/**
 * The version of Prometheus whose API this is: clients choose by it what they ask. `features` must be absent: with it, Grafana
 * takes the server for Mimir.
 */
const buildInfo = {
  version: '3.4.0',
  revision: `fanion ${version}`,
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
};

function answering(
  answer: (
    place: Place,
    parameters: Parameters,
    reply: FastifyReply,
    path: Readonly<Record<string, string>>,
  ) => Promise<unknown>,
): (context: ForeignRequest) => Promise<undefined> {
  return async (context) => {
    const { query, body, params, reply } = context;
    await answer(placeOf(context), parametersOf(query, body), reply, params);
    return undefined;
  };
}
