import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Config, ConfigError } from '../config.ts';
import type { Rulesets } from '../features/flags/evaluation/index.ts';
import type { EvaluationsEntry } from '../features/flags/exposures/index.ts';
import type { AccessFeature } from '../features/identity/access/index.ts';
import type { Credentials, SdkCaller } from '../http/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { Failure } from '../platform/fail.ts';
import type { Log } from '../platform/log.ts';
import { TtlCache } from '../platform/ttl-cache.ts';
import type { EvaluatorCounts, Question, ToEvaluator, ToServer } from './messages.ts';
import { sendRulesetParts } from './ruleset-parts.ts';

/** A key in use is told again after this time. */
const toldMs = 60_000;
const maxTold = 10_000;

/** The process that owns the port and evaluates flags; this server is its child. */
export interface EvaluatorLink {
  /** Open connections that it has passed on. */
  readonly handed: ReadonlySet<Socket>;
  /** As `access.sdkCaller`. The evaluator gets the key and its ruleset too, so that it can answer while this server is away. */
  readonly sdkCaller: AccessFeature['sdkCaller'];
  /** What it has counted until a second ago; undefined: nothing yet. */
  counts(): EvaluatorCounts | undefined;
  /** Resolves with the port. */
  listen(server: Server): Promise<number>;
  /** Resolves when everything counted is in the write-ahead log and no connection will come any more. */
  leave(): Promise<void>;
}

export function createEvaluatorLink(
  channel: NodeJS.Process,
  {
    config,
    access,
    rulesets,
    record,
    answered,
    clock,
    log,
  }: {
    config: Config;
    access: Pick<AccessFeature, 'sdkCaller' | 'onChange'>;
    rulesets: Rulesets;
    record: (projectId: string, entry: EvaluationsEntry) => Promise<void>;
    answered: (route: string, status: number, times: number) => void;
    clock: Clock;
    log: Log;
  },
): EvaluatorLink {
  const send = (message: ToEvaluator) => void (channel.connected && channel.send?.(message));
  const known = new Set<string>();
  /** Keys that the evaluator knows, by what clients send. */
  const told = new TtlCache<string, true>({ clock, ttlMs: toldMs, max: maxTold });
  let sending = Promise.resolve();

  rulesets.listen({
    swapped({ environmentId, from, held, patch }) {
      if (!known.has(environmentId)) return;
      sending = sending.then(() => sendRulesetParts(send, environmentId, from, held.ruleset, patch));
    },
    dropped(environmentId) {
      if (known.delete(environmentId)) sending = sending.then(() => send({ kind: 'dropped', environmentId }));
    },
  });
  access.onChange((change) => {
    told.clear();
    send({ kind: 'access-changed', change });
  });

  /** False: the environment was removed. */
  async function sendRuleset(environmentId: string): Promise<boolean> {
    const held = await rulesets.get(environmentId);
    if (held === undefined) return false;
    known.add(environmentId);
    sending = sending.then(() => sendRulesetParts(send, environmentId, undefined, held.ruleset, held.ruleset));
    await sending;
    return true;
  }

  async function answer(question: Question): Promise<unknown> {
    switch (question.about) {
      case 'caller':
        return access.sdkCaller(question.credentials);
      case 'ruleset':
        return sendRuleset(question.environmentId);
      case 'refresh':
        await rulesets.refresh([question.environmentId]);
        await sending;
        return undefined;
      case 'evaluations':
        await record(question.projectId, { ...question.entry, body: Buffer.from(question.entry.body) });
        return undefined;
    }
  }

  async function reply(id: number, question: Question): Promise<void> {
    try {
      send({ kind: 'reply', id, value: await answer(question) });
    } catch (error) {
      if (!(error instanceof Failure)) log.warn({ err: error }, 'a question of the evaluator failed');
      send({ kind: 'failed', id, failure: error instanceof Failure ? sentFailure(error) : undefined });
    }
  }

  let server: Server | undefined;
  let listened: { resolve: (port: number) => void; reject: (error: Error) => void } | undefined;
  let left: (() => void) | undefined;
  let latest: EvaluatorCounts | undefined;
  const handed = new Set<Socket>();
  function take(socket: Socket, bytes: Uint8Array): void {
    if (server === undefined) {
      socket.destroy();
      return;
    }
    handed.add(socket);
    socket.once('close', () => handed.delete(socket));
    // As for every connection of Node's HTTP server.
    socket.allowHalfOpen = true;
    if (bytes.length > 0) socket.unshift(Buffer.from(bytes));
    server.emit('connection', socket);
  }

  channel.on('message', (message: ToServer, socket: Socket | undefined) => {
    switch (message.kind) {
      case 'connection':
        if (socket !== undefined) take(socket, message.bytes);
        return;
      case 'question':
        void reply(message.id, message.question);
        return;
      case 'counts':
        latest = message.counts;
        for (const [route, status, times] of message.counts.answered) answered(route, status, times);
        return;
      case 'listening':
        listened?.resolve(message.port);
        return;
      case 'not-listening':
        listened?.reject(notListening(message, config));
        return;
      case 'left':
        left?.();
        return;
      case 'stop':
        // A signal that this process got from the terminal, too, must not count twice.
        process.emit(message.signal, message.signal);
        return;
    }
  });
  // Whoever kills the evaluator kills the server: what is acknowledged is in the log.
  const endWithEvaluator = () => process.exit(1);
  channel.once('disconnect', endWithEvaluator);

  function tell(credentials: Credentials, caller: SdkCaller): void {
    const sent = credentials.authorization ?? credentials.apiKey ?? '';
    if (told.get(sent)) return;
    told.set(sent, true);
    send({ kind: 'key', credentials: { ...credentials, cookie: undefined }, caller });
    if (!known.has(caller.environmentId))
      sendRuleset(caller.environmentId).catch((error: unknown) => log.warn({ err: error }, 'could not send a ruleset'));
  }

  return {
    handed,
    sdkCaller(credentials) {
      const caller = access.sdkCaller(credentials);
      if (!(caller instanceof Promise)) tell(credentials, caller);
      else
        caller.then(
          (found) => tell(credentials, found),
          () => {
            // Whoever asked for it gets the error.
          },
        );
      return caller;
    },
    counts: () => latest,
    listen(own) {
      server = own;
      return new Promise((resolve, reject) => {
        listened = { resolve, reject };
        send({ kind: 'listen' });
      });
    },
    leave: () =>
      new Promise((resolve) => {
        channel.off('disconnect', endWithEvaluator);
        left = resolve;
        channel.once('disconnect', resolve);
        send({ kind: 'leave' });
      }),
  };
}

function sentFailure({ error, parameters, retryAfterSeconds }: Failure) {
  return { error, parameters, retryAfterSeconds };
}

function notListening(
  { code, message }: { readonly code: string; readonly message: string },
  { host, port }: Pick<Config, 'host' | 'port'>,
): Error {
  if (code !== 'EADDRINUSE') return new Error(message);
  return new ConfigError(`FANION_PORT: another program listens on ${host}:${port}; choose another port`);
}
