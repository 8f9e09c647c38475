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

/**
 * Creates the emitter: five services in one process, each with its own resource and providers, behind one set of
 * exporters, as behind one collector. `since` is when its counters start.
 */
export function createEmitter(options: {
  exporters: Exporters;
  since: number;
  onLost: (what: 'spans' | 'logs' | 'metrics' | 'profiles', count: number, error: Error) => void;
}): Emitter {
  let refused: ExportRefused | undefined;
  function batcher<T>(
    what: 'spans' | 'logs' | 'metrics' | 'profiles',
    maxItems: number,
    send: (items: T[]) => Promise<void>,
  ): Batcher<T> {
    return new Batcher({
      send,
      maxItems,
      maxInFlight: IN_FLIGHT,
      maxWaiting: WAITING,
      onLost(count, error) {
        if (error instanceof ExportRefused) refused = error;
        options.onLost(what, count, error);
      },
    });
  }
  const spans = batcher<ReadableSpan>('spans', SPANS_PER_BATCH, options.exporters.spans);
  const logs = batcher<ReadableLogRecord>('logs', LOGS_PER_BATCH, options.exporters.logs);
  const metrics = batcher<ResourceMetrics>('metrics', METRICS_PER_BATCH, async (items) => {
    for (const merged of mergeByResource(items)) await options.exporters.metrics(merged);
  });
  const profiles = batcher<Profile>('profiles', PROFILES_PER_BATCH, options.exporters.profiles);
  const batchers = [spans, logs, metrics, profiles];

  const ids = new VisitIds();
  const running = new Map<ServiceName, Running>();
  const retired: Running[] = [];

  function serving(service: ServiceName, at: number): Running {
    const deployment = deploymentAt(service, at);
    const current = running.get(service);
    // A visit that began before a deployment may be emitted after a later one; the newer instance serves it.
    if (current && current.instance.startedAt >= deployment.startedAt) return current;
    if (current) retired.push(current);
    const next = start(createInstance(service, deployment), options.since, ids, spans, logs);
    running.set(service, next);
    return next;
  }

  return {
    emit(roots, evaluations, random) {
      ids.use(random);
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
    },
    async collect(at) {
      for (const old of retired.splice(0)) {
        metrics.push(await old.metering.collect(Math.min(at, old.instance.startedAt + DAY)));
        await old.metering.shutdown();
      }
      for (const service of SERVICES) {
        const { metering, profiling } = serving(service, at);
        metrics.push(await metering.collect(at));
        const profile = profiling.collect(at);
        if (profile) profiles.push(profile);
      }
    },
    offer() {
      if (refused) throw refused;
      for (const each of batchers) each.offer();
    },
    async room() {
      for (const each of batchers) await each.room();
      if (refused) throw refused;
    },
    async flush() {
      await Promise.all(batchers.map((each) => each.flush()));
      if (refused) throw refused;
    },
    delivered: () => ({ spans: spans.delivered, logs: logs.delivered, metrics: metrics.delivered }),
    async shutdown() {
      await Promise.all([...running.values(), ...retired].map(({ metering }) => metering.shutdown()));
      await options.exporters.shutdown();
    },
  };
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
