import type { ServerResponse } from 'node:http';
import { status } from '@grpc/grpc-js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ContextBudget } from '../../features/flags/evaluation/index.ts';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import { discardBody } from '../../http/discard.ts';
import { allowedOrigin } from '../../http/page-origins.ts';
import { whenClosed } from '../../http/when-closed.ts';
import type { Log } from '../../platform/log.ts';
import { ConnectCall } from './connect-call.ts';
import { bodyOf, credentialsOf, parsed, refuseType, unpacked } from './connect-requests.ts';
import {
  compressionOf,
  connectError,
  contentTypes,
  endOfStream,
  type Form,
  formOf,
  onlyMessage,
  requireVersion,
  timeoutOf,
} from './connect-rules.ts';
import type { EventStreams } from './event-streams.ts';
import { endStream, refusalOf } from './grpc-server.ts';
import { readObject, writeEvent } from './json-messages.ts';
import { decodeResolve, encodeEvent } from './messages.ts';

interface StreamDependencies {
  readonly events: EventStreams;
  readonly budget: ContextBudget;
  /** Throws a `Failure` for an invalid SDK key. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
}

const keepAlive = {
  json: writeEvent('keep_alive', {}),
  proto: encodeEvent('keep_alive', {}),
} as const satisfies Record<Form, Buffer>;

/** Answers `EventStream`. Whatever happens after the content type is known is the end of a stream with the status 200. */
export function createConnectStreams({ events, budget, sdkCaller, log }: StreamDependencies) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { headers } = request;
    const form = formOf(headers['content-type'], 'stream');
    if (form === undefined) return refuseType(request, reply, 'stream');
    const response = reply.hijack().raw;
    let caller: SdkCaller | undefined;
    try {
      requireVersion(headers['connect-protocol-version']);
      const timeout = timeoutOf(headers['connect-timeout-ms']);
      caller = await sdkCaller(credentialsOf(request.headers));
      requireEmpty(await messageIn(request, caller, budget), form);
      // Nobody would remove a stream whose end nobody hears of.
      if (response.destroyed) return reply;
      openStream(response, { caller, form, timeout, origin: headers.origin });
    } catch (error) {
      discardBody(request.raw);
      begin(response, form, caller, headers.origin);
      response.end(endOfStream(connectError(refusalOf(error, log)).error));
    }
    return reply;
  };

  function openStream(
    response: ServerResponse,
    {
      caller,
      form,
      timeout,
      origin,
    }: {
      readonly caller: SdkCaller;
      readonly form: Form;
      readonly timeout: number | undefined;
      readonly origin: string | undefined;
    },
  ): void {
    begin(response, form, caller, origin);
    const call = new ConnectCall(response, keepAlive[form]);
    if (!events.open(call, caller, form)) {
      endStream(call, status.RESOURCE_EXHAUSTED, 'too many event streams');
      return;
    }
    if (timeout === undefined) return;
    const late = () => endStream(call, status.DEADLINE_EXCEEDED, 'the timeout of the client has passed');
    const timer = setTimeout(late, timeout).unref();
    whenClosed(response, () => clearTimeout(timer));
  }
}

function begin(response: ServerResponse, form: Form, caller: SdkCaller | undefined, origin: string | undefined): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(200, {
    ...(caller === undefined ? {} : allowedOrigin(caller, origin)),
    'content-type': contentTypes.stream[form],
    'cache-control': 'no-cache, no-transform',
    // Proxies that buffer (nginx) would hold events back.
    'x-accel-buffering': 'no',
  });
}

async function messageIn(request: FastifyRequest, caller: SdkCaller, budget: ContextBudget): Promise<Buffer> {
  const compression = compressionOf(request.headers['connect-content-encoding']);
  const { message, isCompressed } = onlyMessage(await bodyOf(request, caller, budget), compression);
  return unpacked(message, isCompressed ? compression : 'identity', caller);
}

/** `EventStreamRequest` has no fields; unknown ones are ignored. @throws Refusal and WireError */
function requireEmpty(message: Buffer, form: Form): void {
  if (form === 'json') readObject(parsed(message));
  else decodeResolve(message, 1);
}
