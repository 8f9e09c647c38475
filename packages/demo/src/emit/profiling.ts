import { type Operation, type ServiceName, walk } from '../simulation/operation.ts';
import type { Instance } from './instances.ts';

/** Where an instance spent processor time between two collections. */
export interface Profile {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly resource: Instance['resource']['attributes'];
  /** Nanoseconds by stack, and by the span whose code it is if that is known; both are JSON, a stack of its frames, the innermost first. */
  readonly samples: ReadonlyMap<string, number>;
}

/** The span in which code ran. */
export interface SampledSpan {
  readonly traceId: string;
  readonly spanId: string;
}

/** What a profiler knows of an operation beside its times. */
export interface Sampled {
  /** Undefined: its samples are not divided by span, as those of the history, which would be too many. */
  readonly span: SampledSpan | undefined;
  /** Whether it runs the code of the hint at the wishlist. */
  readonly hints: boolean;
}

/** A function with its file. */
type Frame = readonly [name: string, file: string];

/** A profiler of one instance: it turns what operations took into stacks, as a sampling profiler of Node.js would show them. */
export interface Profiling {
  record(operation: Operation, sampled: Sampled): void;
  /** What was recorded since the last collection; undefined if nothing was. */
  collect(at: number): Profile | undefined;
}

export function createProfiling(instance: Instance, since: number): Profiling {
  let samples = new Map<string, number>();
  let from = Math.max(since, instance.startedAt);
  return {
    record(operation, { span, hints }) {
      for (const [frames, nanoseconds] of costsOf(operation, hints)) {
        const key = JSON.stringify([JSON.stringify(frames), span]);
        samples.set(key, (samples.get(key) ?? 0) + nanoseconds);
      }
    },
    collect(at) {
      if (samples.size === 0 || at <= from) return undefined;
      const profile = { from, to: at, resource: instance.resource.attributes, samples };
      samples = new Map();
      from = at;
      return profile;
    },
  };
}

/** Records an operation and all below it, each with the profiler of its service. */
export function recordAll(
  root: Operation,
  profilingOf: (service: ServiceName, at: number) => Profiling,
  sampledOf: (operation: Operation) => Sampled,
): void {
  for (const operation of walk(root))
    profilingOf(operation.service, operation.start).record(operation, sampledOf(operation));
}

const LOOP: Frame = ['processTicksAndRejections', 'node:internal/process/task_queues'];
const ROUTE: Frame = ['handleRequest', '/app/node_modules/fastify/lib/handle-request.js'];

/** What an operation costs: a part of the time that it does not wait for others. */
function costsOf(operation: Operation, hints: boolean): [Frame[], number][] {
  const waited = operation.children.reduce((sum, child) => sum + child.end - child.start, 0);
  const own = Math.max(0.05, operation.end - operation.start - waited);
  const cost = (frames: Frame[], milliseconds: number): [Frame[], number] => [
    frames.toReversed(),
    Math.round(milliseconds * 1e6),
  ];
  const handler: Frame = [handlerName(operation.name), `/app/src/${operation.service}/routes.ts`];
  switch (operation.kind) {
    case 'client': {
      const isDatabase = operation.attributes['db.system.name'] !== undefined;
      const driver: Frame = isDatabase
        ? ['query', '/app/node_modules/pg/lib/client.js']
        : ['dispatch', '/app/node_modules/undici/lib/dispatcher/client.js'];
      const encode: Frame = isDatabase
        ? ['parseRow', '/app/node_modules/pg-protocol/dist/parser.js']
        : ['writeH1', '/app/node_modules/undici/lib/dispatcher/client-h1.js'];
      return [cost([LOOP, driver], own * 0.01), cost([LOOP, driver, encode], own * 0.02)];
    }
    case 'internal':
      return [
        cost(
          [LOOP, ROUTE, handler, [handlerName(operation.name), `/app/src/${operation.service}/rules.ts`]],
          own * 0.6,
        ),
      ];
    default:
      return [
        cost([LOOP, ROUTE, handler], own * 0.2),
        cost([LOOP, ROUTE, handler, ['parse', '/app/node_modules/zod/v4/core/parse.js']], own * 0.12),
        ...(hints ? [cost([LOOP, ROUTE, handler, ['renderHint', '/app/src/frontend/hint.ts']], own * 0.15)] : []),
        cost([LOOP, ROUTE, ['serialize', '/app/node_modules/fast-json-stringify/index.js']], own * 0.1),
        cost([['(garbage collector)', '']], own * 0.04),
      ];
  }
}

/** `POST /orders/{id}` is handled by `postOrdersId`. */
function handlerName(operation: string): string {
  const words = operation
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}

/** The profiles as an OTLP request in JSON: https://github.com/open-telemetry/opentelemetry-proto, `profiles/v1development`. */
export function profilesRequest(profiles: readonly Profile[]): object {
  const strings = new Table(['', 'cpu', 'nanoseconds']);
  const functions = new Table<string>(['']);
  const stackTable = new Table<string>(['']);
  const functionRows: object[] = [{}];
  const stackRows: object[] = [{}];
  const links = new Table<string>(['']);
  const linkRows: object[] = [{}];
  const functionAt = ([name, file]: Frame) => {
    const at = functions.at(JSON.stringify([name, file]));
    functionRows[at] ??= { nameStrindex: strings.at(name), filenameStrindex: strings.at(file) };
    return at;
  };
  const stackAt = (key: string) => {
    const at = stackTable.at(key);
    stackRows[at] ??= { locationIndices: (JSON.parse(key) as Frame[]).map(functionAt) };
    return at;
  };
  const sampleOf = ([key, nanoseconds]: readonly [string, number]) => {
    const [stack, span] = JSON.parse(key) as [string, SampledSpan | null | undefined];
    const values = { stackIndex: stackAt(stack), values: [String(nanoseconds)] };
    if (span == null) return values;
    const linkIndex = links.at(span.spanId);
    linkRows[linkIndex] ??= span;
    return { ...values, linkIndex };
  };
  const resourceProfiles = profiles.map(({ from, to, resource, samples }) => ({
    resource: {
      attributes: Object.entries(resource).map(([key, value]) => ({ key, value: { stringValue: String(value) } })),
    },
    scopeProfiles: [
      {
        profiles: [
          {
            sampleType: { typeStrindex: 1, unitStrindex: 2 },
            timeUnixNano: `${Math.round(from)}000000`,
            durationNano: `${Math.round(to - from)}000000`,
            samples: [...samples].map(sampleOf),
          },
        ],
      },
    ],
  }));
  // Each function has one location: the demo knows no lines.
  const locationTable = functionRows.map((_, index) =>
    index === 0 ? {} : { lines: [{ functionIndex: index, line: 1 }] },
  );
  return {
    resourceProfiles,
    dictionary: {
      ...{ stringTable: strings.values, functionTable: functionRows, locationTable, stackTable: stackRows },
      linkTable: linkRows,
    },
  };
}

/** Values by their index, each once. */
class Table<T> {
  readonly values: T[];
  readonly #index = new Map<T, number>();

  constructor(values: T[]) {
    this.values = values;
    for (const [index, value] of values.entries()) this.#index.set(value, index);
  }

  at(value: T): number {
    const known = this.#index.get(value);
    if (known !== undefined) return known;
    this.#index.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}
