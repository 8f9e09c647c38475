import { contextLimits } from '@fanion/contract';
import { type EvaluationContext, evaluateAll, resolve } from '@fanion/flag-engine';
import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { contextOf, type Rulesets, type Streams, servedTo } from '../../features/flags/evaluation/index.ts';
import type { Exposures } from '../../features/flags/exposures/index.ts';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import type { Tls } from '../../http/tls.ts';
import type { Log } from '../../platform/log.ts';
import { bytesMethod } from '../grpc.ts';
import { createEventStreams, type EventCall, type EventStreams } from './event-streams.ts';
import { createGrpcServer, credentialsIn, type FlagdGrpc, refusalOf } from './grpc-server.ts';
import { decodeResolve, encodeResolution, encodeResolutions, type Typed } from './messages.ts';
import { anyResolutionOf, Refusal, requireSize, resolutionOf } from './resolve-rules.ts';

export interface FlagdDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  readonly exposures: Pick<Exposures, 'saw'>;
  /** Throws a `Failure` for an invalid SDK key. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
  readonly tls?: Tls | undefined;
}

type Unary = ServerUnaryCall<Buffer, Buffer>;
type Answer = (caller: SdkCaller, call: Unary) => Promise<Buffer>;

const services = ['flagd.evaluation.v1', 'flagd.evaluation.v2'] as const;
const methods = { Boolean: 'boolean', String: 'string', Int: 'int', Float: 'float', Object: 'object' } as const;

/** flagd's evaluation over gRPC: it answers from the ruleset in memory, as OFREP does, and counts exposures. */
export function createFlagdGrpc(dependencies: FlagdDependencies): FlagdGrpc {
  const events = createEventStreams(dependencies);
  const { server, listen, stop } = createGrpcServer(dependencies, () => events.stop());
  for (const service of services) addService(server, service, dependencies, events);
  return { listen, stop };
}

function addService(
  server: Server,
  service: (typeof services)[number],
  dependencies: FlagdDependencies,
  events: EventStreams,
): void {
  const isNewer = service === 'flagd.evaluation.v2';
  const path = (method: string) => `/${service}.Service/${method}`;
  const unary = (method: string, answer: Answer) =>
    server.addService(
      { [method]: bytesMethod(path(method), false) },
      {
        [method]: (call: Unary, done: sendUnaryData<Buffer>) =>
          void answerCall(call, done, answer, dependencies, events),
      },
    );
  for (const [method, type] of Object.entries(methods))
    unary(`Resolve${method}`, (caller, call) => resolveOne(dependencies, caller, call, type, isNewer));
  unary('ResolveAll', (caller, { request }) => resolveEvery(dependencies, caller, request));
  server.addService(
    { EventStream: bytesMethod(path('EventStream'), true) },
    { EventStream: (call: EventCall) => void openEvents(call, dependencies, events) },
  );
}

async function resolveOne(
  { rulesets, exposures }: FlagdDependencies,
  caller: SdkCaller,
  { request, metadata }: Unary,
  type: Typed['type'],
  isNewer: boolean,
): Promise<Buffer> {
  const { flag, context: fields } = decodeResolve(request, 2);
  const context = checked(fields, caller);
  const ruleset = await servedTo(rulesets, caller);
  const outcome = resolve(ruleset, flag, context);
  exposures.saw(caller, ruleset, outcome, context, metadata.get('traceparent')[0]?.toString());
  return encodeResolution(resolutionOf(outcome.evaluation, type, isNewer));
}

async function resolveEvery({ rulesets }: FlagdDependencies, caller: SdkCaller, request: Buffer): Promise<Buffer> {
  const context = checked(decodeResolve(request, 1).context, caller);
  const all = [...evaluateAll(await servedTo(rulesets, caller), context)].flatMap(([key, evaluation]) => {
    const resolution = anyResolutionOf(evaluation);
    return resolution === undefined ? [] : [[key, resolution] as const];
  });
  return encodeResolutions(all);
}

function checked(fields: EvaluationContext, { keyKind }: SdkCaller): EvaluationContext {
  const read = contextOf({ context: fields }, contextLimits[keyKind]);
  if ('problem' in read) throw new Refusal(status.INVALID_ARGUMENT, read.problem.message);
  return read.context;
}

async function answerCall(
  call: Unary,
  done: sendUnaryData<Buffer>,
  answer: Answer,
  { sdkCaller, log }: FlagdDependencies,
  events: EventStreams,
): Promise<void> {
  try {
    const caller = await sdkCaller(credentialsIn(call.metadata));
    events.identify(call.getPeer(), caller);
    requireSize(call.request, caller);
    done(null, await answer(caller, call));
  } catch (error) {
    done(refusalOf(error, log));
  }
}

async function openEvents(call: EventCall, { sdkCaller, log }: FlagdDependencies, events: EventStreams): Promise<void> {
  try {
    const credentials = credentialsIn(call.metadata);
    const hasKey = credentials.authorization !== undefined || credentials.apiKey !== undefined;
    const place = hasKey ? await sdkCaller(credentials) : undefined;
    // Its events have fired before anybody listens to them.
    if (call.cancelled) return;
    if (!events.open(call, place)) throw new Refusal(status.RESOURCE_EXHAUSTED, 'too many event streams');
  } catch (error) {
    call.emit('error', refusalOf(error, log));
  }
}
