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

interface EvaluatorLinkOptions {
  config: Config;
  access: Pick<AccessFeature, 'sdkCaller' | 'onChange'>;
  rulesets: Rulesets;
  record: (projectId: string, entry: EvaluationsEntry) => Promise<void>;
  answered: (route: string, status: number, times: number) => void;
  clock: Clock;
  log: Log;
}

/** The process that owns the port and evaluates flags; this server is its child. */
export class EvaluatorLink {
  readonly #channel: NodeJS.Process;
  readonly #options: EvaluatorLinkOptions;
  readonly #known = new Set<string>();
  /** Keys that the evaluator knows, by what clients send. */
  readonly #told: TtlCache<string, true>;
  #sending = Promise.resolve();
  #server: Server | undefined;
  #listened: { resolve: (port: number) => void; reject: (error: Error) => void } | undefined;
  #left: (() => void) | undefined;
  #latest: EvaluatorCounts | undefined;
  /** Open connections that it has passed on. */
  readonly handed = new Set<Socket>();

  readonly #send = (message: ToEvaluator) => void (this.#channel.connected && this.#channel.send?.(message));

  constructor(channel: NodeJS.Process, options: EvaluatorLinkOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#told = new TtlCache<string, true>({ clock: options.clock, ttlMs: toldMs, max: maxTold });
    options.rulesets.listen({
      swapped: ({ environmentId, from, held, patch }) => {
        if (!this.#known.has(environmentId)) return;
        this.#sending = this.#sending.then(() =>
          sendRulesetParts(this.#send, environmentId, from, held.ruleset, patch),
        );
      },
      dropped: (environmentId) => {
        if (this.#known.delete(environmentId))
          this.#sending = this.#sending.then(() => this.#send({ kind: 'dropped', environmentId }));
      },
    });
    options.access.onChange((change) => {
      this.#told.clear();
      this.#send({ kind: 'access-changed', change });
    });
    this.#channel.on('message', (message: ToServer, socket: Socket | undefined) => {
      switch (message.kind) {
        case 'connection':
          if (socket !== undefined) this.#take(socket, message.bytes);
          return;
        case 'question':
          void this.#reply(message.id, message.question);
          return;
        case 'counts':
          this.#latest = message.counts;
          for (const [route, status, times] of message.counts.answered) options.answered(route, status, times);
          return;
        case 'listening':
          this.#listened?.resolve(message.port);
          return;
        case 'not-listening':
          this.#listened?.reject(notListening(message, options.config));
          return;
        case 'left':
          this.#left?.();
          return;
        case 'stop':
          // A signal that this process got from the terminal, too, must not count twice.
          process.emit(message.signal, message.signal);
          return;
      }
    });
    this.#channel.once('disconnect', endWithEvaluator);
  }

  /** As `access.sdkCaller`. The evaluator gets the key and its ruleset too, so that it can answer while this server is away. */
  readonly sdkCaller: AccessFeature['sdkCaller'] = (credentials) => {
    const caller = this.#options.access.sdkCaller(credentials);
    if (!(caller instanceof Promise)) this.#tell(credentials, caller);
    else
      caller.then(
        (found) => this.#tell(credentials, found),
        () => {
          // The caller gets the error.
        },
      );
    return caller;
  };

  /** What it has counted until a second ago; undefined: nothing yet. */
  counts(): EvaluatorCounts | undefined {
    return this.#latest;
  }

  /** Resolves with the port. */
  listen(own: Server): Promise<number> {
    this.#server = own;
    return new Promise((resolve, reject) => {
      this.#listened = { resolve, reject };
      this.#send({ kind: 'listen' });
    });
  }

  /** Resolves when everything counted is in the write-ahead log and no connection will come any more. */
  leave(): Promise<void> {
    return new Promise((resolve) => {
      this.#channel.off('disconnect', endWithEvaluator);
      this.#left = resolve;
      this.#channel.once('disconnect', resolve);
      this.#send({ kind: 'leave' });
    });
  }

  /** False: the environment was removed. */
  async #sendRuleset(environmentId: string): Promise<boolean> {
    const held = await this.#options.rulesets.get(environmentId);
    if (held === undefined) return false;
    this.#known.add(environmentId);
    this.#sending = this.#sending.then(() =>
      sendRulesetParts(this.#send, environmentId, undefined, held.ruleset, held.ruleset),
    );
    await this.#sending;
    return true;
  }

  async #answer(question: Question): Promise<unknown> {
    const { access, rulesets, record } = this.#options;
    switch (question.about) {
      case 'caller':
        return access.sdkCaller(question.credentials);
      case 'ruleset':
        return this.#sendRuleset(question.environmentId);
      case 'refresh':
        await rulesets.refresh([question.environmentId]);
        await this.#sending;
        return undefined;
      case 'evaluations':
        await record(question.projectId, { ...question.entry, body: Buffer.from(question.entry.body) });
        return undefined;
    }
  }

  async #reply(id: number, question: Question): Promise<void> {
    try {
      this.#send({ kind: 'reply', id, value: await this.#answer(question) });
    } catch (error) {
      if (!(error instanceof Failure)) this.#options.log.warn({ err: error }, 'a question of the evaluator failed');
      this.#send({ kind: 'failed', id, failure: error instanceof Failure ? sentFailure(error) : undefined });
    }
  }

  #take(socket: Socket, bytes: Uint8Array): void {
    if (this.#server === undefined) {
      socket.destroy();
      return;
    }
    this.handed.add(socket);
    socket.once('close', () => this.handed.delete(socket));
    // As for every connection of Node's HTTP server.
    socket.allowHalfOpen = true;
    if (bytes.length > 0) socket.unshift(Buffer.from(bytes));
    this.#server.emit('connection', socket);
  }

  #tell(credentials: Credentials, caller: SdkCaller): void {
    const sent = credentials.authorization ?? credentials.apiKey ?? '';
    if (this.#told.get(sent)) return;
    this.#told.set(sent, true);
    this.#send({ kind: 'key', credentials: { ...credentials, cookie: undefined }, caller });
    if (!this.#known.has(caller.environmentId))
      this.#sendRuleset(caller.environmentId).catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'could not send a ruleset'),
      );
  }
}

// Without the evaluator the server has no port. Acknowledged data is in the log.
const endWithEvaluator = () => process.exit(1);

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
