import type { Meter } from '@opentelemetry/api';
import type { Attributes, Operation } from '../simulation/operation.ts';

/** Seconds; the boundaries that the semantic conventions recommend for HTTP durations. */
const HTTP_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** This histogram is exponential, by a view of its meter provider. */
export const EXPONENTIAL_HISTOGRAM = 'db.client.operation.duration';

export type Instruments = ReturnType<typeof createInstruments>;

/** Every instrument of a service. One that is never used leaves no metric. */
export function createInstruments(meter: Meter) {
  const seconds = { unit: 's', advice: { explicitBucketBoundaries: HTTP_BOUNDARIES } };
  return {
    serverDuration: meter.createHistogram('http.server.request.duration', {
      ...seconds,
      description: 'Duration of HTTP server requests.',
    }),
    serverRequests: meter.createCounter('http.server.request.count', {
      unit: '{request}',
      description: 'Number of HTTP server requests.',
    }),
    serverActive: meter.createUpDownCounter('http.server.active_requests', {
      unit: '{request}',
      description: 'Number of active HTTP server requests.',
    }),
    clientDuration: meter.createHistogram('http.client.request.duration', {
      ...seconds,
      description: 'Duration of HTTP client requests.',
    }),
    databaseDuration: meter.createHistogram(EXPONENTIAL_HISTOGRAM, {
      unit: 's',
      description: 'Duration of database client operations.',
    }),
    messagesSent: meter.createCounter('messaging.client.sent.messages', {
      unit: '{message}',
      description: 'Number of messages that the producer attempted to send.',
    }),
    processDuration: meter.createHistogram('messaging.process.duration', {
      ...seconds,
      description: 'Duration of processing a message.',
    }),
    measurements: {
      orders: meter.createCounter('orders', { unit: '{order}', description: 'Orders placed.' }),
      'orders.revenue': meter.createCounter('orders.revenue', { unit: 'EUR', description: 'Value of orders placed.' }),
      'carts.open': meter.createUpDownCounter('carts.open', { unit: '{cart}', description: 'Carts that hold items.' }),
    },
    memory: meter.createGauge('process.memory.usage', {
      unit: 'By',
      description: 'The amount of physical memory in use.',
    }),
    processor: meter.createGauge('process.cpu.utilization', {
      unit: '1',
      description: 'Share of one processor in use.',
    }),
    queueDepth: meter.createGauge('messaging.queue.depth', {
      unit: '{message}',
      description: 'Messages that wait in the queue.',
    }),
  };
}

/** Records one operation in the metrics that the conventions define for it. */
export function recordOperation(instruments: Instruments, operation: Operation): void {
  const seconds = (operation.end - operation.start) / 1000;
  const { attributes } = operation;
  if (operation.kind === 'server') {
    instruments.serverDuration.record(seconds, pick(attributes, SERVER_DIMENSIONS));
    instruments.serverRequests.add(1, pick(attributes, SERVER_DIMENSIONS));
  } else if ('db.system.name' in attributes) {
    instruments.databaseDuration.record(seconds, pick(attributes, DATABASE_DIMENSIONS));
  } else if (operation.kind === 'client') {
    instruments.clientDuration.record(seconds, pick(attributes, CLIENT_DIMENSIONS));
  } else if (operation.kind === 'producer') {
    instruments.messagesSent.add(1, pick(attributes, MESSAGING_DIMENSIONS));
  } else if (operation.kind === 'consumer') {
    instruments.processDuration.record(seconds, pick(attributes, MESSAGING_DIMENSIONS));
  }
  for (const { name, value, attributes: dimensions } of operation.measurements) {
    instruments.measurements[name].add(value, dimensions);
  }
}

const SERVER_DIMENSIONS = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'url.scheme',
  'error.type',
] as const;
const CLIENT_DIMENSIONS = [
  'http.request.method',
  'url.template',
  'http.response.status_code',
  'server.address',
  'server.port',
  'error.type',
] as const;
const DATABASE_DIMENSIONS = [
  'db.system.name',
  'db.namespace',
  'db.collection.name',
  'db.operation.name',
  'error.type',
] as const;
const MESSAGING_DIMENSIONS = [
  'messaging.system',
  'messaging.operation.name',
  'messaging.destination.name',
  'error.type',
] as const;

/** The dimensions of active requests, without the status, which is unknown while a request runs. */
export function activeDimensions(operation: Operation): Attributes {
  return pick(operation.attributes, ['http.request.method', 'url.scheme']);
}

function pick(attributes: Attributes, names: readonly string[]): Attributes {
  const picked: Attributes = {};
  for (const name of names) {
    const value = attributes[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
