import type { Random } from '../random.ts';
import type {
  Attributes,
  Exception,
  JsonBody,
  Measurement,
  Operation,
  OperationKind,
  ServiceName,
} from './operation.ts';

export interface OperationSpec {
  service: ServiceName;
  kind: OperationKind;
  name: string;
  attributes?: Attributes;
  links?: Operation[];
}

/**
 * The inside of an operation while it is simulated: a cursor in time that the body moves forward. What the body
 * calls happens at the cursor, so children lie within their parents by construction.
 */
export interface Scope {
  readonly operation: Operation;
  readonly random: Random;
  /** The cursor, in milliseconds since the epoch. */
  now(): number;
  /** Passes time: log-normal around `medianMs`. */
  spend(medianMs: number, sigma?: number): void;
  /** Passes exactly `ms`. */
  wait(ms: number): void;
  /** A child operation; the cursor moves to its end. */
  call<T>(spec: OperationSpec, body: (scope: Scope) => T): T;
  /** Runs bodies that start together; the cursor moves to the latest end. */
  together<T>(...bodies: ((scope: Scope) => T)[]): T[];
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  debug(body: string | JsonBody, attributes?: Attributes): void;
  info(body: string | JsonBody, attributes?: Attributes): void;
  warn(body: string | JsonBody, attributes?: Attributes): void;
  error(body: string | JsonBody, attributes?: Attributes): void;
  measure(name: Measurement['name'], value: number, attributes?: Attributes): void;
  useFlag(key: string): void;
  /** Marks the operation as failed, with `error.type`, as the conventions require. */
  fail(errorType: string, message: string): void;
  /** Fails, records the exception as an event, and logs it with `body`. */
  raise(exception: Exception, body: string, attributes?: Attributes): void;
}

/** Simulates one whole trace that starts at `at`; returns its root. */
export function trace(random: Random, at: number, spec: OperationSpec, body: (scope: Scope) => void): Operation {
  return run(random, at, spec, body).operation;
}

function run<T>(
  random: Random,
  at: number,
  spec: OperationSpec,
  body: (scope: Scope) => T,
): { operation: Operation; result: T } {
  const operation: Operation = {
    service: spec.service,
    kind: spec.kind,
    name: spec.name,
    start: at,
    end: at,
    attributes: { ...spec.attributes },
    events: [],
    logs: [],
    flagUses: [],
    measurements: [],
    links: spec.links ?? [],
    children: [],
  };
  const cursor = { at };
  const result = body(scopeOf(operation, random, cursor));
  operation.end = cursor.at;
  return { operation, result };
}

function scopeOf(operation: Operation, random: Random, cursor: { at: number }): Scope {
  const log = (severity: 'debug' | 'info' | 'warn' | 'error') => {
    return (body: string | JsonBody, attributes: Attributes = {}) => {
      operation.logs.push({ at: cursor.at, severity, body, attributes });
    };
  };
  const scope: Scope = {
    operation,
    random,
    now: () => cursor.at,
    spend: (medianMs, sigma = 0.35) => scope.wait(random.logNormal(medianMs, sigma)),
    wait(ms) {
      cursor.at += ms;
    },
    call(spec, body) {
      const child = run(random, cursor.at, spec, body);
      operation.children.push(child.operation);
      cursor.at = child.operation.end;
      return child.result;
    },
    together(...bodies) {
      const start = cursor.at;
      let latest = start;
      const results = bodies.map((body) => {
        cursor.at = start;
        const result = body(scope);
        latest = Math.max(latest, cursor.at);
        return result;
      });
      cursor.at = latest;
      return results;
    },
    set: (attributes) => void Object.assign(operation.attributes, attributes),
    event: (name, attributes) => void operation.events.push({ at: cursor.at, name, attributes }),
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    measure: (name, value, attributes = {}) => void operation.measurements.push({ name, value, attributes }),
    useFlag: (key) => void operation.flagUses.push({ at: cursor.at, key }),
    fail(errorType, message) {
      operation.failure = message;
      operation.attributes['error.type'] = errorType;
    },
    raise(exception, body, attributes = {}) {
      scope.fail(exception.type, exception.message);
      scope.event('exception', {
        'exception.type': exception.type,
        'exception.message': exception.message,
        'exception.stacktrace': exception.stack,
      });
      operation.logs.push({ at: cursor.at, severity: 'error', body, attributes, exception });
    },
  };
  return scope;
}
