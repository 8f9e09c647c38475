import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { status } from '@grpc/grpc-js';
import { whenClosed } from '../../http/when-closed.ts';
import { connectError, endOfStream, messagePrefix } from './connect-rules.ts';

/** A client that does not read does not see the error of its stream either, and is cut off. */
const endMs = 5_000;
/** So that proxies keep the connection, and that the server notices when it has broken. */
const keepAliveMs = 15_000;

interface ErrorOfCall {
  readonly code: status;
  readonly details: string;
}

/**
 * A stream of messages over HTTP/1.1. As a call of gRPC, it ends with the `code` and the `details` of an error that it
 * emits, and `writableLength` is the number of messages that the client has not read.
 */
export class ConnectCall extends Writable {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #ending: ErrorOfCall | undefined;

  /** @param response its head is sent @param keepAlive a message that says nothing */
  constructor(response: ServerResponse, keepAlive: Buffer) {
    super({ objectMode: true });
    this.#response = response;
    this.#timer = setInterval(() => {
      if (this.writable && this.writableLength === 0) this.write(keepAlive);
    }, keepAliveMs).unref();
    this.on('error', (error: Error & Partial<ErrorOfCall>) => this.#end(error));
    this.once('close', () => clearInterval(this.#timer));
    whenClosed(response, () => this.destroy());
  }

  readonly getPeer = (): string => `${this.#response.socket?.remoteAddress}:${this.#response.socket?.remotePort}`;

  #end({ code, details }: Partial<ErrorOfCall>): void {
    if (code === undefined || details === undefined || this.#ending !== undefined) return;
    this.#ending = { code, details };
    clearInterval(this.#timer);
    const cut = setTimeout(() => this.#response.destroy(), endMs).unref();
    whenClosed(this.#response, () => clearTimeout(cut));
    this.end();
  }

  override _write(message: Buffer, _encoding: string, done: () => void): void {
    const response = this.#response;
    response.cork();
    response.write(messagePrefix(message.length));
    response.write(message, () => done());
    response.uncork();
  }

  override _final(done: () => void): void {
    if (this.#ending === undefined) this.#response.end();
    else this.#response.end(endOfStream(connectError(this.#ending).error));
    done();
  }
}
