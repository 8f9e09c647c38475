import type { AnyRoute, BodyLimit } from '@fanion/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../platform/fail.ts';
import { type Admission, hasBody } from './admission.ts';
import type { BodyBudgets } from './body-budgets.ts';
import type { BodyThread } from './body-thread.ts';
import { discardBody } from './discard.ts';
import { type Identify, rateKey } from './identify.ts';
import { withIfMatch } from './if-match.ts';
import { checkBody, limitOf, parseJson, placeOf } from './json-body.ts';
import { unzipped } from './unpack.ts';

/** Reads the JSON bodies of declared routes. */
export interface Bodies {
  limitOf(route: AnyRoute): BodyLimit;
  /** The body as the route declares it. Throws `INVALID_INPUT`. */
  check(route: AnyRoute, request: FastifyRequest): unknown;
}

interface BodiesDependencies {
  readonly maxBodyBytes: number;
  readonly budgets: BodyBudgets;
  readonly identify: Identify;
  readonly thread: BodyThread;
}

const sizes = new WeakMap<FastifyRequest, number>();

/** The bytes of a JSON body that was read, unpacked. */
export function bodyBytes(request: FastifyRequest): number {
  return sizes.get(request) ?? 0;
}

/** The declared route of a request; undefined: a page, or another protocol. */
function routeOf({ routeOptions }: FastifyRequest): AnyRoute | undefined {
  return (routeOptions.config as { readonly route?: AnyRoute }).route;
}

export function createBodies({ maxBodyBytes, budgets, identify, thread }: BodiesDependencies) {
  const senders = new WeakMap<FastifyRequest, string>();
  /** Bodies that the thread has checked. */
  const checked = new WeakSet<object>();

  /** Counts the time of a step on a body. */
  function timed<T>(request: FastifyRequest, bytes: number, step: () => T): T {
    const began = performance.now();
    try {
      return step();
    } finally {
      const sender = senders.get(request);
      if (sender !== undefined) budgets.spend(sender, bytes, performance.now() - began);
    }
  }
  const limit = (route: AnyRoute) => limitOf(route, maxBodyBytes);

  async function readInThread(request: FastifyRequest, route: AnyRoute, bytes: Buffer): Promise<unknown> {
    const sender = senders.get(request);
    const spent = (milliseconds: number) => {
      if (sender !== undefined) budgets.spend(sender, bytes.length, milliseconds);
    };
    const ifMatch = request.headers['if-match'];
    const body = await thread.read({ route: route.id, bytes, limit: limit(route), ifMatch }, spent);
    if (typeof body === 'object' && body !== null) checked.add(body);
    return body;
  }

  async function readJson(request: FastifyRequest, sent: Buffer): Promise<unknown> {
    const route = routeOf(request);
    if (route === undefined) return undefined;
    const bytes = await unpacked(request, route, sent, limit(route).bytes);
    sizes.set(request, bytes.length);
    if (placeOf(route, bytes.length) === 'thread') return readInThread(request, route, bytes);
    return timed(request, bytes.length, () => parseJson(bytes, limit(route)));
  }

  return {
    limitOf: limit,

    check(route: AnyRoute, request: FastifyRequest): unknown {
      const { body } = request;
      if (typeof body === 'object' && body !== null && checked.has(body)) return body;
      return timed(request, 0, () => checkBody(route, withIfMatch(route, request)));
    },

    /** Admits a request from its head, before its body is read. */
    admitBefore(app: FastifyInstance, admission: Admission): void {
      app.addHook('preParsing', async (request) => {
        const route = routeOf(request);
        if (route === undefined || !hasBody(request)) return;
        try {
          await admission.beforeBody(route, request);
          const sender = await rateKey(identify, request);
          const refusal = budgets.refusal(sender);
          if (refusal !== undefined) throw refusal;
          senders.set(request, sender);
        } catch (error) {
          discardBody(request.raw);
          throw error;
        }
      });
    },

    parse(app: FastifyInstance): void {
      app.removeAllContentTypeParsers();
      const asBytes = { parseAs: 'buffer' } as const;
      app.addContentTypeParser<Buffer>(['application/json', 'application/merge-patch+json'], asBytes, readJson);
      // Pages can send text to other origins without their consent, so a route has to declare it.
      app.addContentTypeParser<Buffer>('text/plain', asBytes, async (request: FastifyRequest, bytes: Buffer) => {
        const isDeclared = routeOf(request)?.requestMedia.includes('text/plain');
        if (isDeclared !== true) throw fail('UNSUPPORTED_MEDIA_TYPE', { type: 'text/plain' });
        return readJson(request, bytes);
      });
    },
  } satisfies Bodies & Record<string, unknown>;
}

/** Clients of other products may compress what they send; the limit is of what it unpacks to. */
async function unpacked({ headers }: FastifyRequest, route: AnyRoute, bytes: Buffer, most: number): Promise<Buffer> {
  const coding = headers['content-encoding'];
  if (!route.isForeign || coding === undefined || coding === 'identity') return bytes;
  if (coding !== 'gzip') throw fail('UNSUPPORTED_MEDIA_TYPE', { type: `Content-Encoding: ${coding.slice(0, 100)}` });
  return unzipped(bytes, most);
}
