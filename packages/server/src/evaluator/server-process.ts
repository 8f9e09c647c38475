import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { fail } from '../platform/fail.ts';
import type { FailureMessage, Notice, Question, ToEvaluator, ToServer } from './messages.ts';

const entry = fileURLToPath(new URL('./server-entry.js', import.meta.url));
/** Connections that wait for the server to take them. */
const maxWaiting = 10_000;

/** The server ended while it answered: nobody knows whether it did what it was asked for. */
export class Interrupted extends Error {}

const starting = () => fail('SERVER_STARTING', {}, { retryAfterSeconds: 2 });

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface ServerListener {
  notice(message: Notice): void;
  /** Called when it has ended; `start` may be called again. */
  exit(code: number): void;
}

/** The server as a child process. */
export class ServerProcess {
  readonly #on: ServerListener;
  #child: ChildProcess | undefined;
  /** It has loaded its code and opened its stores. */
  #isReady = false;
  #lastId = 0;
  readonly #asked = new Map<number, Asked>();
  readonly #waiting = new Set<Socket>();

  constructor(on: ServerListener) {
    this.#on = on;
  }

  /** False: it is not running. */
  send(message: ToServer): boolean {
    if (this.#child?.connected !== true) return false;
    // It stops, and logs nothing more.
    if (message.kind === 'left') this.#isReady = false;
    this.#child.send(message);
    return true;
  }

  start(): void {
    const started = fork(entry, [], { serialization: 'advanced', execArgv: process.execArgv });
    this.#child = started;
    started.on('message', (message: ToEvaluator) => this.#receive(message));
    // A message to a process that has just ended; its exit is handled.
    started.on('error', () => {});
    started.once('exit', (code) => {
      this.#child = undefined;
      this.#isReady = false;
      for (const { reject } of this.#asked.values()) reject(new Interrupted('the server has ended'));
      this.#asked.clear();
      for (const socket of this.#waiting) socket.destroy();
      this.#waiting.clear();
      this.#on.exit(code ?? 1);
    });
  }

  /** Rejects with a `Failure` of the server, with `SERVER_STARTING` if it is not ready, or with `Interrupted`. */
  ask(question: Question): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      if (this.#isReady && this.send({ kind: 'question', id, question })) this.#asked.set(id, { resolve, reject });
      else reject(starting());
    });
  }

  /** Passes a connection on. False: it is not ready, or too many wait. */
  give(socket: Socket, bytes: Buffer): boolean {
    if (!this.#isReady || this.#child?.connected !== true || this.#waiting.size >= maxWaiting) return false;
    this.#waiting.add(socket);
    this.#child.send({ kind: 'connection', bytes } satisfies ToServer, socket, {}, () => this.#waiting.delete(socket));
    return true;
  }

  #receive(message: ToEvaluator): void {
    if (message.kind !== 'reply' && message.kind !== 'failed') {
      if (message.kind === 'listen') this.#isReady = true;
      this.#on.notice(message);
      return;
    }
    const question = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.kind === 'reply') question?.resolve(message.value);
    else question?.reject(errorOf(message.failure));
  }
}

function errorOf(failure: FailureMessage | undefined): Error {
  if (failure === undefined) return new Error('the server could not answer');
  const { error, parameters, retryAfterSeconds } = failure;
  return fail(error, parameters, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}
