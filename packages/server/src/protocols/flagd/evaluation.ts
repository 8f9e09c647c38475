import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createContextBudget, type Rulesets, type Streams } from '../../features/flags/evaluation/index.ts';
import type { Exposures } from '../../features/flags/exposures/index.ts';
import type { BodyBudgets } from '../../http/body-budgets.ts';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import type { PlainRouter } from '../../http/plain.ts';
import type { Log } from '../../platform/log.ts';
import { createAnswers } from './answers.ts';
import { createConnect } from './connect.ts';
import { createEventStreams } from './event-streams.ts';
import { createFlagdGrpc } from './grpc.ts';

export interface FlagdDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  readonly exposures: Pick<Exposures, 'saw'>;
  readonly budgets: BodyBudgets;
  /** Throws a `Failure` for an invalid SDK key. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
}

/** flagd's evaluation on one port: gRPC over HTTP/2, and Connect over HTTP/1.1. */
export interface FlagdEvaluation {
  /** Takes over a connection that begins with HTTP/2. */
  takeHttp2(socket: Socket): void;
  /** Answers plain requests of the other connections. */
  readonly plain: PlainRouter;
  /** Adds the methods for the rest. */
  register(app: FastifyInstance): void;
  /** Ends the streams. Waits a few seconds at most for calls over gRPC. */
  stop(): Promise<void>;
}

/** Limit of the port; a provider has one or two connections. Further ones are closed at once. */
const mostConnections = 2_000;

export function createFlagdEvaluation(dependencies: FlagdDependencies): FlagdEvaluation {
  const { sdkCaller, log, budgets } = dependencies;
  const shared = { answers: createAnswers(dependencies), events: createEventStreams(dependencies), sdkCaller, log };
  const grpc = createFlagdGrpc(shared);
  const connect = createConnect({ ...shared, budget: createContextBudget(budgets) });
  return {
    takeHttp2: grpc.take,
    plain: connect.plain,
    register(app) {
      app.server.maxConnections = mostConnections;
      connect.register(app);
    },
    stop: grpc.stop,
  };
}
