import type { HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  AggregationType,
  type DataPoint,
  DataPointType,
  MeterProvider,
  type MetricData,
  MetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { createRandom } from '../random.ts';
import { providerSlowdown, SLOW_PROVIDER, trafficShare } from '../simulation/conditions.ts';
import type { Operation } from '../simulation/operation.ts';
import type { Instance } from './instances.ts';
import { activeDimensions, createInstruments, EXPONENTIAL_HISTOGRAM, recordOperation } from './instruments.ts';

/** Collects on demand; the SDK's periodic reader uses the wall clock, which does not fit history. */
class OnDemandReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** The metrics of one instance, aggregated by the SDK and collected at simulated times. */
export interface Metering {
  record(operation: Operation): void;
  /** The state at `at` (milliseconds since the epoch), cumulative since the later of `since` and the instance's start. */
  collect(at: number): Promise<ResourceMetrics>;
  shutdown(): Promise<void>;
}

/** Creates the meter provider of an instance, whose counters start at zero at `since`. */
export function createMetering(instance: Instance, since: number): Metering {
  const reader = new OnDemandReader();
  const provider = new MeterProvider({
    resource: instance.resource,
    readers: [reader],
    views: [{ instrumentName: EXPONENTIAL_HISTOGRAM, aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
  });
  const instruments = createInstruments(provider.getMeter(`shop/${instance.service}`, instance.version));
  const start = toHrTime(Math.max(since, instance.startedAt));
  // Carts that were filled earlier; without them the count could become negative.
  if (instance.service === 'cart') instruments.measurements['carts.open'].add(140);

  let running: Operation[] = [];
  /** Adds the requests that run at `at`; returns a function that removes them after the collection. */
  function countActive(at: number): () => void {
    running = running.filter((operation) => operation.end > at);
    const active = running.filter((operation) => operation.start <= at).map(activeDimensions);
    for (const dimensions of active) instruments.serverActive.add(1, dimensions);
    return () => {
      for (const dimensions of active) instruments.serverActive.add(-1, dimensions);
    };
  }

  return {
    record(operation) {
      recordOperation(instruments, operation);
      if (operation.kind !== 'server') return;
      running.push(operation);
      // Ensures that the series exists, at zero, even if no request runs at the collection.
      instruments.serverActive.add(0, activeDimensions(operation));
    },
    async collect(at) {
      const vitals = vitalsOf(instance, at);
      instruments.memory.record(vitals.memory);
      instruments.processor.record(vitals.processor);
      if (instance.service === 'catalog') {
        instruments.queueDepth.record(vitals.queueDepth, {
          'messaging.system': 'kafka',
          'messaging.destination.name': 'orders.placed',
        });
      }
      const release = countActive(at);
      const { resourceMetrics, errors } = await reader.collect();
      release();
      if (errors.length > 0) throw new AggregateError(errors, 'could not collect the metrics');
      return restamp(resourceMetrics, start, toHrTime(at));
    },
    shutdown: () => provider.shutdown(),
  };
}

/** Metrics of the machine: memory that grows until the next deployment, load that follows the day. */
function vitalsOf(instance: Instance, at: number): { memory: number; processor: number; queueDepth: number } {
  const random = createRandom('vitals', instance.key, Math.floor(at / 10_000));
  const hoursUp = (at - instance.startedAt) / 3_600_000;
  const leak = instance.service === 'checkout' ? 9e6 : 1.5e6;
  const load = trafficShare(at);
  const blocked = providerSlowdown(SLOW_PROVIDER, at) > 1;
  return {
    memory: Math.round(118e6 + leak * hoursUp + 42e6 * load + 9e6 * random.next()),
    processor: Number((0.03 + 0.42 * load + 0.06 * random.next()).toFixed(4)),
    queueDepth: random.poisson(2 + 14 * load * (blocked ? 0.4 : 1)),
  };
}

/** The SDK stamps what it collects with the wall clock; this replaces them by the simulated times. */
function restamp(collected: ResourceMetrics, start: HrTime, end: HrTime): ResourceMetrics {
  return {
    resource: collected.resource,
    scopeMetrics: collected.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map((metric) => restampMetric(metric, start, end)),
    })),
  };
}

function restampMetric(metric: MetricData, start: HrTime, end: HrTime): MetricData {
  // One branch for each kind, since the compiler does not see that a mapped point keeps the kind of its metric.
  switch (metric.dataPointType) {
    case DataPointType.SUM:
      return { ...metric, dataPoints: at(metric.dataPoints, start, end) };
    case DataPointType.GAUGE:
      return { ...metric, dataPoints: at(metric.dataPoints, start, end) };
    case DataPointType.HISTOGRAM:
      return { ...metric, dataPoints: at(metric.dataPoints, start, end) };
    case DataPointType.EXPONENTIAL_HISTOGRAM:
      return { ...metric, dataPoints: at(metric.dataPoints, start, end) };
  }
}

function at<T>(points: readonly DataPoint<T>[], startTime: HrTime, endTime: HrTime): DataPoint<T>[] {
  return points.map(({ attributes, value }) => ({ attributes, value, startTime, endTime }));
}

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
