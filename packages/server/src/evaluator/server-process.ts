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

/** The server as a child process. */
export interface ServerProcess {
  start(): void;
  /** False: it is not running. */
  send(message: ToServer): boolean;
  /** Rejects with a `Failure` of the server, with `SERVER_STARTING` if it is not ready, or with `Interrupted`. */
  ask(question: Question): Promise<unknown>;
  /** Passes a connection on. False: it is not ready, or too many wait. */
  give(socket: Socket, bytes: Buffer): boolean;
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** @param on.exit is called when it has ended; `start` may be called again */
export function createServerProcess(on: {
  notice: (message: Notice) => void;
  exit: (code: number) => void;
}): ServerProcess {
  let child: ChildProcess | undefined;
  /** It has loaded its code and opened its stores. */
  let isReady = false;
  let lastId = 0;
  const asked = new Map<number, Asked>();
  const waiting = new Set<Socket>();

  function receive(message: ToEvaluator): void {
    if (message.kind !== 'reply' && message.kind !== 'failed') {
      if (message.kind === 'listen') isReady = true;
      on.notice(message);
      return;
    }
    const question = asked.get(message.id);
    asked.delete(message.id);
    if (message.kind === 'reply') question?.resolve(message.value);
    else question?.reject(errorOf(message.failure));
  }

  function send(message: ToServer): boolean {
    if (child?.connected !== true) return false;
    // It stops, and logs nothing more.
    if (message.kind === 'left') isReady = false;
    child.send(message);
    return true;
  }

  return {
    start() {
      const started = fork(entry, [], { serialization: 'advanced', execArgv: process.execArgv });
      child = started;
      started.on('message', receive);
      // A message to a process that has just ended; its exit is handled.
      started.on('error', () => {});
      started.once('exit', (code) => {
        child = undefined;
        isReady = false;
        for (const { reject } of asked.values()) reject(new Interrupted('the server has ended'));
        asked.clear();
        for (const socket of waiting) socket.destroy();
        waiting.clear();
        on.exit(code ?? 1);
      });
    },
    send,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        if (isReady && send({ kind: 'question', id, question })) asked.set(id, { resolve, reject });
        else reject(starting());
      }),
    give(socket, bytes) {
      if (!isReady || child?.connected !== true || waiting.size >= maxWaiting) return false;
      waiting.add(socket);
      child.send({ kind: 'connection', bytes } satisfies ToServer, socket, {}, () => waiting.delete(socket));
      return true;
    },
  };
}

function errorOf(failure: FailureMessage | undefined): Error {
  if (failure === undefined) return new Error('the server could not answer');
  const { error, parameters, retryAfterSeconds } = failure;
  return fail(error, parameters, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}
