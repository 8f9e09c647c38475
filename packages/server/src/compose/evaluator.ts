import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config.ts';
import { createCallers } from '../evaluator/callers.ts';
import { detach } from '../evaluator/handover.ts';
import type { Notice } from '../evaluator/messages.ts';
import { Interrupted, ServerProcess } from '../evaluator/server-process.ts';
import { Snapshots } from '../evaluator/snapshots.ts';
import { evaluationFeature } from '../features/flags/evaluation/index.ts';
import { Exposures, OutcomeUnknown } from '../features/flags/exposures/index.ts';
import { createBodyBudgets } from '../http/body-budgets.ts';
import { errorBody } from '../http/envelope.ts';
import { rawFirst } from '../http/plain.ts';
import { jsonContentType, rawRouter } from '../http/raw.ts';
import { createRawConnections } from '../http/raw-connections.ts';
import { keepAliveMs } from '../http/slow-senders.ts';
import type { Clock } from '../platform/clock.ts';
import { fail } from '../platform/fail.ts';
import type { Log } from '../platform/log.ts';
import type { StopSignal } from '../stores.ts';

const countsMs = 1_000;
/** Time for answers that are under way when the process stops. */
const closeGraceMs = 10_000;
/** Between two starts of the server: doubled each time it ends soon after its start. */
const restartMs = { first: 100, longest: 30_000, soon: 60_000 };
/**
 * V8 counts the buffers of connections as part of its heap. For this small heap it allows so few of them that it collected
 * garbage eight times a second while large requests were passed on, for half of the processor time of this process.
 */
const heapGrowth = '--heap-growing-percent=100';
/** A client that is refused may still be sending. */
const refusedMs = 5_000;

/**
 * Evaluates flags in this process, which owns the port, and runs the server as a child process, which gets every other
 * connection. Evaluation continues from the last rulesets and keys while the server is busy, or ends and is started again.
 *
 * @param told resolves when the process shall stop
 * @returns the exit code
 */
export function serveWithEvaluator(
  config: Config,
  { log, clock, told }: { log: Log; clock: Clock; told: Promise<StopSignal> },
): Promise<number> {
  setFlagsFromString(heapGrowth);
  let end: (code: number) => void = () => {};
  const exit = new Promise<number>((resolve) => {
    end = resolve;
  });
  let listener: Server | undefined;
  let isStopping = false;
  let isLeaving = false;
  let restarts = 0;
  let soon = 0;
  let startedAt = 0;

  const server = new ServerProcess({ notice: (message) => void receive(message), exit: ended });
  const snapshots = new Snapshots({ ask: (question) => server.ask(question), clock });
  const callers = createCallers({ ask: (question) => server.ask(question), clock });
  const exposures = new Exposures({
    async append(projectId, entry) {
      await server.ask({ about: 'evaluations', projectId, entry }).catch((error: unknown) => {
        throw error instanceof Interrupted ? new OutcomeUnknown(error.message) : error;
      });
    },
    clock,
    log,
  });
  const answered = new Map<string, Map<number, number>>();
  const routes = evaluationFeature({
    rulesets: snapshots,
    sdkCaller: callers.sdkCaller,
    log,
    clock,
    secret: config.secretKey,
    budgets: createBodyBudgets(config.http.bodyRates, clock),
    answered(route, status) {
      const byStatus = answered.get(route) ?? new Map<number, number>();
      answered.set(route, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
    },
    exposures,
  });
  const connections = createRawConnections({
    router: rawFirst(rawRouter(routes)),
    keepAliveMs: () => keepAliveMs,
    isDraining: () => isStopping,
    giveAway: (socket, bytes) =>
      detach(socket, bytes, (read) => {
        if (isLeaving || !server.give(socket, read)) refuse(socket);
      }),
  });
  const counting = setInterval(() => {
    const counts = [...answered].flatMap(([route, by]) => [...by].map(([status, n]) => [route, status, n] as const));
    const sent = server.send({ kind: 'counts', counts: { answered: counts, exposures: exposures.stats(), restarts } });
    if (sent) answered.clear();
  }, countsMs);

  function start(): void {
    startedAt = clock.now();
    server.start();
  }

  async function receive(message: Notice): Promise<void> {
    switch (message.kind) {
      case 'listen':
        isLeaving = false;
        if (listener === undefined) listen();
        else {
          server.send({ kind: 'listening', port: portOf(listener) });
          log.info({ seconds: (clock.now() - startedAt) / 1_000 }, 'the server is back');
          await snapshots.resume().catch((error: unknown) => log.warn({ err: error }, 'could not read rulesets again'));
        }
        return;
      case 'ruleset':
        return snapshots.receive(message.environmentId, message.part);
      case 'key':
        return callers.learn(message.credentials, message.caller);
      case 'dropped':
        return snapshots.drop(message.environmentId);
      case 'access-changed':
        return callers.changed(message.change);
      case 'leave':
        isLeaving = true;
        if (isStopping) await close();
        await exposures.flush();
        server.send({ kind: 'left' });
    }
  }

  function listen(): void {
    const { host, port } = config;
    const own = createServer({ allowHalfOpen: true, noDelay: true }, connections.add);
    own.once('error', ({ code = '', message }: NodeJS.ErrnoException) =>
      server.send({ kind: 'not-listening', code, message }),
    );
    own.listen({ host, port }, () => {
      listener = own;
      server.send({ kind: 'listening', port: portOf(own) });
    });
  }

  function ended(code: number): void {
    if (isStopping || listener === undefined) {
      void finish(code);
      return;
    }
    soon = clock.now() - startedAt < restartMs.soon ? soon + 1 : 0;
    const wait = Math.min(restartMs.longest, restartMs.first * 2 ** soon);
    restarts++;
    log.error({ code, wait, environments: snapshots.count() }, 'the server ended; flags are evaluated meanwhile');
    setTimeout(() => {
      if (!isStopping) start();
    }, wait);
  }

  async function close(): Promise<void> {
    listener?.close();
    const cut = setTimeout(() => connections.closeAll(), closeGraceMs);
    await connections.close();
    clearTimeout(cut);
  }

  async function finish(code: number): Promise<void> {
    clearInterval(counting);
    await close();
    await exposures.stop();
    end(code);
  }

  void told.then((signal) => {
    isStopping = true;
    if (!server.send({ kind: 'stop', signal })) void finish(0);
  });
  start();
  return exit;
}

/** Answers a connection that no server takes now. */
function refuse(socket: Socket): void {
  const failure = fail('SERVER_STARTING');
  const body = JSON.stringify({ data: null, error: errorBody(failure), meta: { request_id: randomUUID() } });
  const head = [
    'HTTP/1.1 503 Service Unavailable',
    `Content-Type: ${jsonContentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Retry-After: 2',
    'Connection: close',
  ];
  // A broken connection needs nothing more.
  socket.on('error', () => {});
  socket.setTimeout(refusedMs, () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.resume();
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
