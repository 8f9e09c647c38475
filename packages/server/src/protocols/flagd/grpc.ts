import type { Socket } from 'node:net';
import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import type { Log } from '../../platform/log.ts';
import { bytesMethod } from '../grpc.ts';
import { type Answers, encodedFlag, encodedFlags, type FlagdService, flagdServices, resolvedTypes } from './answers.ts';
import type { EventCall, EventStreams } from './event-streams.ts';
import { createGrpcServer, credentialsIn, hasCredential, refusalOf } from './grpc-server.ts';
import { decodeResolve } from './messages.ts';
import { Refusal, requireSize } from './resolve-rules.ts';

interface GrpcDependencies {
  readonly answers: Answers;
  readonly events: EventStreams;
  /** Throws a `Failure` for an invalid SDK key. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
}

type Unary = ServerUnaryCall<Buffer, Buffer>;
type Answer = (caller: SdkCaller, call: Unary) => Promise<Buffer>;

/** flagd's evaluation over gRPC. */
export function createFlagdGrpc(dependencies: GrpcDependencies): {
  /** Takes over a connection that begins with HTTP/2. */
  take(socket: Socket): void;
  /** Waits a few seconds at most for calls in progress. */
  stop(): Promise<void>;
} {
  const { server, take, stop } = createGrpcServer(() => dependencies.events.stop());
  for (const service of flagdServices) addService(server, service, dependencies);
  return { take, stop };
}

function addService(server: Server, service: FlagdService, dependencies: GrpcDependencies): void {
  const { answers } = dependencies;
  const path = (method: string) => `/${service}.Service/${method}`;
  const unary = (method: string, answer: Answer) =>
    server.addService(
      { [method]: bytesMethod(path(method), false) },
      { [method]: (call: Unary, done: sendUnaryData<Buffer>) => void answerCall(call, done, answer, dependencies) },
    );
  for (const [method, type] of Object.entries(resolvedTypes))
    unary(`Resolve${method}`, async (caller, { request, metadata }) => {
      const traceparent = metadata.get('traceparent')[0]?.toString();
      return answers.one(caller, { ...decodeResolve(request, 2), type, service, traceparent }, encodedFlag);
    });
  unary('ResolveAll', async (caller, { request }) =>
    Buffer.concat(await answers.all(caller, decodeResolve(request, 1).context, encodedFlags)),
  );
  server.addService(
    { EventStream: bytesMethod(path('EventStream'), true) },
    { EventStream: (call: EventCall) => void openEvents(call, dependencies) },
  );
}

async function answerCall(
  call: Unary,
  done: sendUnaryData<Buffer>,
  answer: Answer,
  { sdkCaller, log, events }: GrpcDependencies,
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

async function openEvents(call: EventCall, { sdkCaller, log, events }: GrpcDependencies): Promise<void> {
  try {
    const credentials = credentialsIn(call.metadata);
    const place = hasCredential(credentials) ? await sdkCaller(credentials) : undefined;
    // Its events have fired before anybody listens to them.
    if (call.cancelled) return;
    if (!events.open(call, place, 'proto')) throw new Refusal(status.RESOURCE_EXHAUSTED, 'too many event streams');
  } catch (error) {
    call.emit('error', refusalOf(error, log));
  }
}
