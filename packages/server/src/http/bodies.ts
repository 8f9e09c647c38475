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

export function createBodies(dependencies: BodiesDependencies): JsonBodies {
  return new JsonBodies(dependencies);
}

class JsonBodies implements Bodies {
  readonly #options: BodiesDependencies;
  readonly #senders = new WeakMap<FastifyRequest, string>();
  /** Bodies that the thread has checked. */
  readonly #checked = new WeakSet<object>();

  constructor(options: BodiesDependencies) {
    this.#options = options;
  }

  limitOf(route: AnyRoute): BodyLimit {
    return limitOf(route, this.#options.maxBodyBytes);
  }

  check(route: AnyRoute, request: FastifyRequest): unknown {
    const { body } = request;
    if (typeof body === 'object' && body !== null && this.#checked.has(body)) return body;
    return this.#timed(request, 0, () => checkBody(route, withIfMatch(route, request)));
  }

  /** Admits a request from its head, before its body is read. */
  admitBefore(app: FastifyInstance, admission: Admission): void {
    app.addHook('preParsing', async (request) => {
      const route = routeOf(request);
      if (route === undefined || !hasBody(request)) return;
      try {
        await admission.beforeBody(route, request);
        const sender = await rateKey(this.#options.identify, request);
        const refusal = this.#options.budgets.refusal(sender);
        if (refusal !== undefined) throw refusal;
        this.#senders.set(request, sender);
      } catch (error) {
        discardBody(request.raw);
        throw error;
      }
    });
  }

  parse(app: FastifyInstance): void {
    app.removeAllContentTypeParsers();
    const asBytes = { parseAs: 'buffer' } as const;
    const readJson = (request: FastifyRequest, sent: Buffer) => this.#readJson(request, sent);
    app.addContentTypeParser<Buffer>(['application/json', 'application/merge-patch+json'], asBytes, readJson);
    // Pages can send text to other origins without their consent, so a route has to declare it.
    app.addContentTypeParser<Buffer>('text/plain', asBytes, async (request: FastifyRequest, bytes: Buffer) => {
      const isDeclared = routeOf(request)?.requestMedia.includes('text/plain');
      if (isDeclared !== true) throw fail('UNSUPPORTED_MEDIA_TYPE', { type: 'text/plain' });
      return readJson(request, bytes);
    });
  }

  /** Counts the time of a step on a body. */
  #timed<T>(request: FastifyRequest, bytes: number, step: () => T): T {
    const began = performance.now();
    try {
      return step();
    } finally {
      const sender = this.#senders.get(request);
      if (sender !== undefined) this.#options.budgets.spend(sender, bytes, performance.now() - began);
    }
  }

  async #readInThread(request: FastifyRequest, route: AnyRoute, bytes: Buffer): Promise<unknown> {
    const sender = this.#senders.get(request);
    const spent = (milliseconds: number) => {
      if (sender !== undefined) this.#options.budgets.spend(sender, bytes.length, milliseconds);
    };
    const ifMatch = request.headers['if-match'];
    const body = await this.#options.thread.read(
      { route: route.id, bytes, limit: this.limitOf(route), ifMatch },
      spent,
    );
    if (typeof body === 'object' && body !== null) this.#checked.add(body);
    return body;
  }

  async #readJson(request: FastifyRequest, sent: Buffer): Promise<unknown> {
    const route = routeOf(request);
    if (route === undefined) return undefined;
    const bytes = await unpacked(request, route, sent, this.limitOf(route).bytes);
    sizes.set(request, bytes.length);
    if (placeOf(route, bytes.length) === 'thread') return this.#readInThread(request, route, bytes);
    return this.#timed(request, bytes.length, () => parseJson(bytes, this.limitOf(route)));
  }
}

/** Clients of other products may compress what they send; the limit is of what it unpacks to. */
async function unpacked({ headers }: FastifyRequest, route: AnyRoute, bytes: Buffer, most: number): Promise<Buffer> {
  const coding = headers['content-encoding'];
  if (!route.isForeign || coding === undefined || coding === 'identity') return bytes;
  if (coding !== 'gzip') throw fail('UNSUPPORTED_MEDIA_TYPE', { type: `Content-Encoding: ${coding.slice(0, 100)}` });
  return unzipped(bytes, most);
}
