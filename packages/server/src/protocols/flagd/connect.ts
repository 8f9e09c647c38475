import { contextLimits } from '@fanion/contract';
import { status } from '@grpc/grpc-js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowPreflights, type ContextBudget } from '../../features/flags/evaluation/index.ts';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import { discardBody } from '../../http/discard.ts';
import { failing } from '../../http/failing.ts';
import { hasMoreCommas } from '../../http/json-body.ts';
import { allowedOrigin } from '../../http/page-origins.ts';
import { Failure } from '../../platform/fail.ts';
import type { Log } from '../../platform/log.ts';
import {
  type Answers,
  encodedFlags,
  type FlagdService,
  flagdServices,
  resolvedTypes,
  writtenFlags,
} from './answers.ts';
import { bodyOf, credentialsOf, parsed, refuseType, unpacked } from './connect-requests.ts';
import {
  codeOfHttp,
  compressionOf,
  connectError,
  contentTypes,
  type Form,
  formOf,
  requireVersion,
  timeoutOf,
} from './connect-rules.ts';
import { createConnectStreams } from './connect-streams.ts';
import type { EventStreams } from './event-streams.ts';
import { refusalOf } from './grpc-server.ts';
import { readResolve, writeResolution, writeResolutions } from './json-messages.ts';
import { decodeResolve, encodeResolution } from './messages.ts';
import { Refusal } from './resolve-rules.ts';

export interface ConnectDependencies {
  readonly answers: Answers;
  readonly events: EventStreams;
  readonly budget: ContextBudget;
  /** Throws a `Failure` for an invalid SDK key. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
}

interface Asked {
  readonly request: FastifyRequest;
  readonly caller: SdkCaller;
  readonly form: Form;
  readonly message: Buffer;
}

const methodNames = [...Object.keys(resolvedTypes).map((type) => `Resolve${type}`), 'ResolveAll', 'EventStream'];
const paths = flagdServices.flatMap((service) => methodNames.map((method) => pathOf(service, method)));

function pathOf(service: FlagdService, method: string): string {
  return `/${service}.Service/${method}`;
}

/** The methods of HTTP of a path. None of flagd's methods is declared to be without side effects, so none takes GET. */
export const connectMethodsOf = (path: string): readonly string[] => (paths.includes(path) ? ['POST'] : []);

const allowedHeaders = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'Flagd-Selector', 'X-API-Key', 'X-User-Agent'],
  ...['Accept-Encoding', 'Content-Encoding', 'Protocol-Version', 'Timeout-Ms'].map((name) => `Connect-${name}`),
].join(', ');

/**
 * flagd's evaluation by Connect's protocol over HTTP/1.1, which its provider for browsers speaks. Callers, limits and the
 * headers for pages of other origins are those of OFREP.
 */
export function registerConnect(app: FastifyInstance, dependencies: ConnectDependencies): void {
  const { answers, budget } = dependencies;
  // Bodies are read when the caller is known.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  allowPreflights(app, [{ paths, methods: 'POST', headers: allowedHeaders }]);
  const stream = createConnectStreams(dependencies);

  for (const service of flagdServices) {
    const unary = (method: string, answer: (asked: Asked) => Promise<Buffer>) =>
      app.post(pathOf(service, method), (request, reply) => answerUnary(dependencies, request, reply, answer));
    for (const [method, type] of Object.entries(resolvedTypes))
      unary(`Resolve${method}`, async (asked) => {
        const { traceparent } = asked.request.headers;
        const question = {
          ...{ ...questionIn(asked, 2, budget), type, service },
          traceparent: typeof traceparent === 'string' ? traceparent : undefined,
        };
        const resolution = await answers.one(asked.caller, question);
        return asked.form === 'json' ? writeResolution(resolution) : encodeResolution(resolution);
      });
    unary('ResolveAll', async (asked) => {
      const { context } = questionIn(asked, 1, budget);
      return asked.form === 'json'
        ? writeResolutions(await answers.all(asked.caller, context, writtenFlags))
        : Buffer.concat(await answers.all(asked.caller, context, encodedFlags));
    });
    app.post(pathOf(service, 'EventStream'), stream);
  }
}

async function answerUnary(
  { sdkCaller, log, budget }: ConnectDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (asked: Asked) => Promise<Buffer>,
): Promise<FastifyReply> {
  const { headers } = request;
  const form = formOf(headers['content-type'], 'unary');
  if (form === undefined) return refuseType(request, reply, 'unary');
  try {
    requireVersion(headers['connect-protocol-version']);
    const compression = compressionOf(headers['content-encoding']);
    const answered = async () => {
      const caller = await sdkCaller(credentialsOf(request));
      reply.headers(allowedOrigin(caller, headers.origin) ?? {});
      const message = await unpacked(await bodyOf(request, caller, budget), compression, caller);
      return answer({ request, caller, form, message });
    };
    const response = await within(timeoutOf(headers['connect-timeout-ms']), answered());
    return reply.type(contentTypes.unary[form]).send(response);
  } catch (error) {
    discardBody(request.raw);
    return sendError(error, reply, log);
  }
}

function sendError(error: unknown, reply: FastifyReply, log: Log): FastifyReply {
  const { httpStatus, error: body } = connectError(refusalOf(error, log));
  if (error instanceof Failure && error.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  if (httpStatus === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(httpStatus).type('application/json').send(JSON.stringify(body));
}

/** Of a request that reaches none of the methods. */
export function sendConnectFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status: httpStatus, message } = failing(error, request, reply);
  return reply.send({ code: codeOfHttp(httpStatus), message });
}

/** @throws Refusal, WireError and `BODIES_LIMITED` */
function questionIn({ caller, form, message }: Asked, contextField: 1 | 2, budget: ContextBudget) {
  return budget.reading(caller, message.length, () => {
    if (form === 'proto') return decodeResolve(message, contextField);
    const { values } = contextLimits[caller.keyKind];
    if (hasMoreCommas(message, values))
      throw new Refusal(status.INVALID_ARGUMENT, `context has more than ${values} values`);
    return readResolve(parsed(message));
  });
}

/** Waits no longer than the client. */
async function within<T>(ms: number | undefined, work: Promise<T>): Promise<T> {
  if (ms === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(status.DEADLINE_EXCEEDED, 'the timeout of the client has passed')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
