import type { Attributes, Exception, ServiceName } from './operation.ts';
import type { OperationSpec, Scope } from './scope.ts';

/** The kinds of calls between services: HTTP, databases, the queue. Each follows its semantic conventions. */

export interface HttpRoute {
  service: ServiceName;
  method: 'GET' | 'POST' | 'DELETE';
  /** The template, such as `/products/{sku}`. */
  route: string;
  /** The requested path. */
  path: string;
}

const PORT = 8080;

/** The server span of a request. */
export function serverSpec(to: HttpRoute, attributes: Attributes = {}): OperationSpec {
  return {
    service: to.service,
    kind: 'server',
    name: `${to.method} ${to.route}`,
    attributes: {
      'http.request.method': to.method,
      'http.route': to.route,
      'url.path': to.path,
      'url.scheme': 'http',
      'server.address': to.service,
      'server.port': PORT,
      'network.protocol.version': '1.1',
      ...attributes,
    },
  };
}

/** Ends a server operation with its status; 5xx is the server's own failure, 4xx is the caller's. */
export function respond(scope: Scope, status: number): void {
  scope.set({ 'http.response.status_code': status });
  if (status >= 500 && scope.operation.failure === undefined) scope.fail(String(status), `HTTP ${status}`);
}

/**
 * One service calls another: a client span in the caller, a server span within it in the callee, and the network
 * between them. Returns the status; for the caller 4xx and 5xx are both failures, by the conventions.
 */
export function request(scope: Scope, to: HttpRoute, handler: (scope: Scope) => number): number {
  const spec: OperationSpec = {
    service: scope.operation.service,
    kind: 'client',
    name: `${to.method} ${to.route}`,
    attributes: {
      'http.request.method': to.method,
      'url.full': `http://${to.service}:${PORT}${to.path}`,
      'url.template': to.route,
      'server.address': to.service,
      'server.port': PORT,
      'network.protocol.version': '1.1',
    },
  };
  return scope.call(spec, (client) => {
    client.spend(0.5);
    const status = client.call(serverSpec(to), (server) => {
      const answer = handler(server);
      respond(server, answer);
      return answer;
    });
    client.spend(0.4);
    client.set({ 'http.response.status_code': status });
    if (status >= 400) client.fail(String(status), `HTTP ${status}`);
    return status;
  });
}

export interface Statement {
  operation: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';
  table: string;
  text: string;
  medianMs: number;
  rows?: number;
  /** The statement fails with this SQLSTATE and message. */
  failsWith?: { sqlState: string; message: string };
}

/**
 * A statement on the service's PostgreSQL; returns whether it succeeded. A statement above 250 ms is logged as slow.
 */
export function postgres(scope: Scope, statement: Statement): boolean {
  const service = scope.operation.service;
  const database = `${service}-db`;
  const spec: OperationSpec = {
    service,
    kind: 'client',
    name: `${statement.operation} ${statement.table}`,
    attributes: {
      'db.system.name': 'postgresql',
      'db.namespace': `${service}|public`,
      'db.collection.name': statement.table,
      'db.operation.name': statement.operation,
      'db.query.text': statement.text,
      'db.query.summary': `${statement.operation} ${statement.table}`,
      'server.address': database,
      'server.port': 5432,
    },
  };
  const before = scope.now();
  const { failsWith } = statement;
  scope.call(spec, (db) => {
    db.spend(statement.medianMs, 0.5);
    if (statement.rows !== undefined && !failsWith) db.set({ 'db.response.returned_rows': statement.rows });
    if (!failsWith) return;
    db.set({ 'db.response.status_code': failsWith.sqlState });
    db.raise(
      databaseError(service, failsWith.message),
      `query failed: ${failsWith.message} (SQLSTATE ${failsWith.sqlState})`,
      { 'db.response.status_code': failsWith.sqlState, 'db.collection.name': statement.table },
    );
  });
  const tookMs = scope.now() - before;
  if (tookMs > 250) {
    const took = Math.round(tookMs);
    scope.warn(`slow query: ${statement.operation} ${statement.table} took ${took} ms`, {
      'db.query.summary': `${statement.operation} ${statement.table}`,
      duration_ms: took,
    });
  }
  return failsWith === undefined;
}

/** A command on the cart's Redis. */
export function redis(scope: Scope, command: string, key: string, detail = ''): void {
  const spec: OperationSpec = {
    service: scope.operation.service,
    kind: 'client',
    name: command,
    attributes: {
      'db.system.name': 'redis',
      'db.namespace': '0',
      'db.operation.name': command,
      'db.query.text': `${command} ${key}${detail}`,
      'server.address': `${scope.operation.service}-redis`,
      'server.port': 6379,
    },
  };
  scope.call(spec, (db) => db.spend(0.45));
}

export interface QueueMessage {
  topic: string;
  id: string;
  partition: number;
  bytes: number;
}

function messaging(message: QueueMessage, type: 'send' | 'process'): Attributes {
  return {
    'messaging.system': 'kafka',
    'messaging.destination.name': message.topic,
    'messaging.destination.partition.id': String(message.partition),
    'messaging.operation.name': type,
    'messaging.operation.type': type,
    'messaging.message.id': message.id,
    'messaging.message.body.size': message.bytes,
    'server.address': 'kafka',
    'server.port': 9092,
  };
}

export function producerSpec(service: ServiceName, message: QueueMessage): OperationSpec {
  return { service, kind: 'producer', name: `send ${message.topic}`, attributes: messaging(message, 'send') };
}

export function consumerSpec(service: ServiceName, message: QueueMessage, group: string): OperationSpec {
  return {
    service,
    kind: 'consumer',
    name: `process ${message.topic}`,
    attributes: { ...messaging(message, 'process'), 'messaging.consumer.group.name': group },
  };
}

/** An exception with a stack in Node's form, with plausible files of such a service. */
export function exception(service: ServiceName, type: string, message: string, frames: readonly string[]): Exception {
  const lines = frames.map((frame) => `    at ${frame.replace('~', `/srv/${service}/src`)}`);
  const node = '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)';
  return { type, message, stack: [`${type}: ${message}`, ...lines, node].join('\n') };
}

function databaseError(service: ServiceName, message: string): Exception {
  return exception(service, 'DatabaseError', message, [
    'Parser.parseErrorMessage (/srv/node_modules/pg-protocol/dist/parser.js:285:98)',
    'Client.query (~/database.ts:41:19)',
  ]);
}
