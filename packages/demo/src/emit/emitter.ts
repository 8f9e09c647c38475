import type { Tracer } from '@opentelemetry/api';
import type { Logger } from '@opentelemetry/api-logs';
import { LoggerProvider, type LogRecordProcessor, type ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  type IdGenerator,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { Random } from '../random.ts';
import { type Operation, SERVICES, type ServiceName, walk } from '../simulation/operation.ts';
import { Batcher } from './batcher.ts';
import { type Exporters, ExportRefused } from './export.ts';
import { createInstance, deploymentAt, type Instance } from './instances.ts';
import { createMetering, type Metering } from './metering.ts';
import { createProfiling, type Profile, type Profiling, recordAll, type Sampled } from './profiling.ts';
import { type Evaluations, render } from './render.ts';

/** A running instance with the providers of a separate application. */
interface Running {
  instance: Instance;
  tracer: Tracer;
  logger: Logger;
  metering: Metering;
  profiling: Profiling;
}

export interface Emitter {
  /** Emits the traces of one visit, with logs and metrics; `random` generates the ids. */
  emit(roots: readonly Operation[], evaluations: Evaluations, random: Random): void;
  /** Collects every service's metrics as of `at` (milliseconds since the epoch) and queues them. */
  collect(at: number): Promise<void>;
  /**
   * Sends the collected data without waiting for full batches, if the server keeps up; does not wait. Throws
   * `ExportRefused` once the server has rejected data.
   */
  offer(): void;
  /** Resolves once there is room for more; throws `ExportRefused` once the server has rejected data. */
  room(): Promise<void>;
  /** Resolves when everything was delivered or dropped. */
  flush(): Promise<void>;
  delivered(): { spans: number; logs: number; metrics: number };
  shutdown(): Promise<void>;
}

const SPANS_PER_BATCH = 2000;
const LOGS_PER_BATCH = 3000;
/** Metric collections per request, at least one per service. */
const METRICS_PER_BATCH = 3 * SERVICES.length;
/** A few minutes of all services: small requests, since a profile repeats its functions. */
const PROFILES_PER_BATCH = 10 * SERVICES.length;
const IN_FLIGHT = 3;
/** Batches that may wait while the server does not answer: about 100 MB at most. */
const WAITING = 40;

type What = 'spans' | 'logs' | 'metrics' | 'profiles';

interface EmitterOptions {
  exporters: Exporters;
  /** When its counters start, in Unix milliseconds. */
  since: number;
  onLost: (what: What, count: number, error: Error) => void;
}

/** Five services in one process, each with its own resource and providers, behind one set of exporters, as behind one collector. */
export class ShopEmitter implements Emitter {
  readonly #options: EmitterOptions;
  readonly #spans: Batcher<ReadableSpan>;
  readonly #logs: Batcher<ReadableLogRecord>;
  readonly #metrics: Batcher<ResourceMetrics>;
  readonly #profiles: Batcher<Profile>;
  readonly #batchers: readonly Pick<Batcher<unknown>, 'offer' | 'room' | 'flush'>[];
  readonly #ids = new VisitIds();
  readonly #running = new Map<ServiceName, Running>();
  readonly #retired: Running[] = [];
  #refused: ExportRefused | undefined;

  constructor(options: EmitterOptions) {
    const { exporters } = options;
    this.#options = options;
    this.#spans = this.#batcher('spans', SPANS_PER_BATCH, exporters.spans);
    this.#logs = this.#batcher('logs', LOGS_PER_BATCH, exporters.logs);
    this.#metrics = this.#batcher('metrics', METRICS_PER_BATCH, async (items) => {
      for (const merged of mergeByResource(items)) await exporters.metrics(merged);
    });
    this.#profiles = this.#batcher('profiles', PROFILES_PER_BATCH, exporters.profiles);
    this.#batchers = [this.#spans, this.#logs, this.#metrics, this.#profiles];
  }

  emit(roots: readonly Operation[], evaluations: Evaluations, random: Random): void {
    this.#ids.use(random);
    const serving = (service: ServiceName, at: number) => this.#serving(service, at);
    const spansOf = render(roots, evaluations, serving);
    const isHinted = evaluations.get('wishlist-hint')?.['feature_flag.result.variant'] === 'hint';
    const sampledOf = (operation: Operation): Sampled => {
      const span = evaluations.size === 0 ? undefined : spansOf.get(operation);
      return {
        span: span && { traceId: span.traceId, spanId: span.spanId },
        hints: isHinted && operation.flagUses.some(({ key }) => key === 'wishlist-hint'),
      };
    };
    for (const root of roots) {
      for (const operation of walk(root)) serving(operation.service, operation.start).metering.record(operation);
      recordAll(root, (service, at) => serving(service, at).profiling, sampledOf);
    }
  }

  async collect(at: number): Promise<void> {
    for (const old of this.#retired.splice(0)) {
      this.#metrics.push(await old.metering.collect(Math.min(at, old.instance.startedAt + DAY)));
      await old.metering.shutdown();
    }
    for (const service of SERVICES) {
      const { metering, profiling } = this.#serving(service, at);
      this.#metrics.push(await metering.collect(at));
      const profile = profiling.collect(at);
      if (profile) this.#profiles.push(profile);
    }
  }

  offer(): void {
    if (this.#refused) throw this.#refused;
    for (const each of this.#batchers) each.offer();
  }

  async room(): Promise<void> {
    for (const each of this.#batchers) await each.room();
    if (this.#refused) throw this.#refused;
  }

  async flush(): Promise<void> {
    await Promise.all(this.#batchers.map((each) => each.flush()));
    if (this.#refused) throw this.#refused;
  }

  delivered(): { spans: number; logs: number; metrics: number } {
    return { spans: this.#spans.delivered, logs: this.#logs.delivered, metrics: this.#metrics.delivered };
  }

  async shutdown(): Promise<void> {
    await Promise.all([...this.#running.values(), ...this.#retired].map(({ metering }) => metering.shutdown()));
    await this.#options.exporters.shutdown();
  }

  #batcher<T>(what: What, maxItems: number, send: (items: T[]) => Promise<void>): Batcher<T> {
    return new Batcher({
      send,
      maxItems,
      maxInFlight: IN_FLIGHT,
      maxWaiting: WAITING,
      onLost: (count, error) => {
        if (error instanceof ExportRefused) this.#refused = error;
        this.#options.onLost(what, count, error);
      },
    });
  }

  #serving(service: ServiceName, at: number): Running {
    const deployment = deploymentAt(service, at);
    const current = this.#running.get(service);
    // A visit that began before a deployment may be emitted after a later one; the newer instance serves it.
    if (current && current.instance.startedAt >= deployment.startedAt) return current;
    if (current) this.#retired.push(current);
    const next = start(createInstance(service, deployment), this.#options.since, this.#ids, this.#spans, this.#logs);
    this.#running.set(service, next);
    return next;
  }
}

const DAY = 86_400_000;

function start(
  instance: Instance,
  since: number,
  idGenerator: IdGenerator,
  spans: Batcher<ReadableSpan>,
  logs: Batcher<ReadableLogRecord>,
): Running {
  const spanProcessor: SpanProcessor = {
    onStart() {},
    onEnd: (span) => spans.push(span),
    forceFlush: () => spans.flush(),
    shutdown: () => spans.flush(),
  };
  const logProcessor: LogRecordProcessor = {
    onEmit: (record) => logs.push(record),
    forceFlush: () => logs.flush(),
    shutdown: () => logs.flush(),
  };
  const { resource, service, version } = instance;
  const tracing = new NodeTracerProvider({
    resource,
    idGenerator,
    sampler: new AlwaysOnSampler(),
    spanProcessors: [spanProcessor],
  });
  const logging = new LoggerProvider({ resource, processors: [logProcessor] });
  return {
    instance,
    tracer: tracing.getTracer(`shop/${service}`, version),
    logger: logging.getLogger(`shop/${service}`, version),
    metering: createMetering(instance, since),
    profiling: createProfiling(instance, since),
  };
}

/** Ids from the visit's own random source, so that equal seeds give equal traces. */
class VisitIds implements IdGenerator {
  #random: Random | undefined;

  use(random: Random): void {
    this.#random = random;
  }
  generateTraceId(): string {
    return this.#hex(16);
  }
  generateSpanId(): string {
    return this.#hex(8);
  }
  #hex(bytes: number): string {
    if (!this.#random) throw new Error('a span was started outside of a visit');
    return this.#random.hex(bytes);
  }
}

/** Merges several collections of a resource, since an export contains one resource. */
function mergeByResource(items: readonly ResourceMetrics[]): ResourceMetrics[] {
  const merged = new Map<ResourceMetrics['resource'], ResourceMetrics>();
  for (const { resource, scopeMetrics } of items) {
    const known = merged.get(resource);
    if (known) known.scopeMetrics.push(...scopeMetrics);
    else merged.set(resource, { resource, scopeMetrics: [...scopeMetrics] });
  }
  return [...merged.values()];
}
