import { contextLimits } from '@fanion/contract';
import { status } from '@grpc/grpc-js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowPreflights, type ContextBudget } from '../../features/flags/evaluation/index.ts';
import { uncountedBytes } from '../../http/body-budgets.ts';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import { discardBody } from '../../http/discard.ts';
import { failing } from '../../http/failing.ts';
import { hasMoreCommas } from '../../http/json-body.ts';
import { allowedOrigin } from '../../http/page-origins.ts';
import type { PlainRouter } from '../../http/plain.ts';
import { jsonContentType, type RawAnswer, type RawHeaders } from '../../http/raw.ts';
import type { PlainRequest } from '../../http/raw-parse.ts';
import { Failure } from '../../platform/fail.ts';
import { followedBy } from '../../platform/followed-by.ts';
import type { Log } from '../../platform/log.ts';
import {
  type Answers,
  encodedFlag,
  encodedFlags,
  type FlagdService,
  flagdServices,
  resolvedTypes,
  writtenFlag,
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
import { readResolve, writeResolutions } from './json-messages.ts';
import { decodeResolve, type Typed } from './messages.ts';
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
  readonly caller: SdkCaller;
  readonly headers: RawHeaders;
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

type Answer = (asked: Asked) => Buffer | Promise<Buffer>;

/** What answers the methods that are no streams, by their paths. Throws a `Refusal`, as its message says. */
function unaryMethods({ answers, budget }: Pick<ConnectDependencies, 'answers' | 'budget'>): Map<string, Answer> {
  const one = (service: FlagdService, type: Typed['type']) => (asked: Asked) => {
    const { caller, headers, form } = asked;
    const traceparent = typeof headers.traceparent === 'string' ? headers.traceparent : undefined;
    const question = { ...questionIn(asked, 2, budget), type, service, traceparent };
    return answers.one(caller, question, form === 'json' ? writtenFlag : encodedFlag);
  };
  const all = (asked: Asked) => {
    const { context } = questionIn(asked, 1, budget);
    return asked.form === 'json'
      ? followedBy(answers.all(asked.caller, context, writtenFlags), writeResolutions)
      : followedBy(answers.all(asked.caller, context, encodedFlags), (parts) => Buffer.concat(parts));
  };
  return new Map(
    flagdServices.flatMap((service) => [
      ...Object.entries(resolvedTypes).map(
        ([name, type]) => [pathOf(service, `Resolve${name}`), one(service, type)] as const,
      ),
      [pathOf(service, 'ResolveAll'), all] as const,
    ]),
  );
}

/**
 * flagd's evaluation by Connect's protocol over HTTP/1.1, which its provider for browsers speaks. Callers, limits and the
 * headers for pages of other origins are those of OFREP.
 */
export function createConnect(dependencies: ConnectDependencies) {
  const methods = unaryMethods(dependencies);
  return {
    plain: connectRouter(dependencies, methods),
    register: (app: FastifyInstance) => registerConnect(app, dependencies, methods),
  };
}

function registerConnect(app: FastifyInstance, dependencies: ConnectDependencies, methods: Map<string, Answer>): void {
  // Bodies are read when the caller is known.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  allowPreflights(app, [{ paths, methods: 'POST', headers: allowedHeaders }]);
  for (const [path, answer] of methods)
    app.post(path, (request, reply) => answerUnary(dependencies, request, reply, answer));
  const stream = createConnectStreams(dependencies);
  for (const service of flagdServices) app.post(pathOf(service, 'EventStream'), stream);
}

/** Answers plain requests without the framework (`http/plain.ts`). */
function connectRouter({ sdkCaller, log }: ConnectDependencies, methods: Map<string, Answer>): PlainRouter {
  function answerPlainly(answer: Answer, form: Form, { headers, body }: PlainRequest): RawAnswer | Promise<RawAnswer> {
    let allowed: RawAnswer['headers'];
    const success = (message: Buffer): RawAnswer => ({
      ...{ status: 200, body: message, type: contentTypes.unary[form] },
      ...(allowed && { headers: allowed }),
    });
    const refused = (error: unknown): RawAnswer => {
      const made = errorAnswer(error, log);
      return { ...made, headers: { ...made.headers, ...allowed } };
    };
    const asked = (caller: SdkCaller): Buffer | Promise<Buffer> => {
      allowed = allowedOrigin(caller, headers.origin);
      return answer({ caller, headers, form, message: body });
    };
    try {
      requireVersion(headers['connect-protocol-version']);
      const made = followedBy(followedBy(sdkCaller(credentialsOf(headers)), asked), success);
      return made instanceof Promise ? made.catch(refused) : made;
    } catch (error) {
      return refused(error);
    }
  }

  return (method, url) => {
    const answer = method === 'POST' ? methods.get(url) : undefined;
    if (answer === undefined) return undefined;
    return (request) => {
      const { headers, body } = request;
      const form = formOf(headers['content-type'], 'unary');
      const isPlain = headers['content-encoding'] === undefined && headers['connect-timeout-ms'] === undefined;
      return form !== undefined && isPlain && body.length <= uncountedBytes
        ? answerPlainly(answer, form, request)
        : undefined;
    };
  };
}

async function answerUnary(
  { sdkCaller, log, budget }: ConnectDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  const { headers } = request;
  const form = formOf(headers['content-type'], 'unary');
  if (form === undefined) return refuseType(request, reply, 'unary');
  try {
    requireVersion(headers['connect-protocol-version']);
    const compression = compressionOf(headers['content-encoding']);
    const answered = async () => {
      const caller = await sdkCaller(credentialsOf(headers));
      reply.headers(allowedOrigin(caller, headers.origin) ?? {});
      const message = await unpacked(await bodyOf(request, caller, budget), compression, caller);
      return answer({ caller, headers, form, message });
    };
    const response = await within(timeoutOf(headers['connect-timeout-ms']), answered());
    return reply.type(contentTypes.unary[form]).send(response);
  } catch (error) {
    discardBody(request.raw);
    const { status: code, type, headers, body } = errorAnswer(error, log);
    return reply.code(code).headers(headers).type(type).send(body);
  }
}

function errorAnswer(error: unknown, log: Log): Required<RawAnswer> {
  const { httpStatus, error: body } = connectError(refusalOf(error, log));
  const seconds = error instanceof Failure ? error.retryAfterSeconds : undefined;
  return {
    ...{ status: httpStatus, type: jsonContentType, body: JSON.stringify(body) },
    headers: {
      ...(seconds !== undefined && { 'retry-after': String(Math.ceil(seconds)) }),
      ...(httpStatus === 401 && { 'www-authenticate': 'Bearer' }),
    },
  };
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
