import type { Writable } from 'node:stream';
import { status } from '@grpc/grpc-js';
import type { Streams } from '../../features/flags/evaluation/index.ts';
import { endStream } from './grpc-server.ts';

export interface Place {
  readonly keyId: string;
  readonly environmentId: string;
}

const mostStreams = 2_000;
const keyCheckMs = 2_000;

/** Streams by the environment of their key. They end when the key is revoked, here or on another replica. */
export function createPlacedStreams<Client extends { readonly place: Place }>(streams: Pick<Streams, 'isLive'>) {
  const clients = new Map<Writable, Client>();
  const inEnvironment = (environmentId: string) =>
    [...clients].filter(([, { place }]) => place.environmentId === environmentId);

  const checks = setInterval(() => {
    for (const [call, { place }] of clients)
      void streams.isLive(place.keyId).then((isLive) => {
        if (!isLive) endStream(call, status.UNAUTHENTICATED, 'the key was revoked');
      });
  }, keyCheckMs).unref();

  return {
    in: inEnvironment,
    /** Returns whether there is room for the stream. */
    admit(call: Writable, client: Client): boolean {
      if (clients.size >= mostStreams) return false;
      clients.set(call, client);
      return true;
    },
    remove: (call: Writable) => void clients.delete(call),
    dropped(environmentId: string): void {
      for (const [call] of inEnvironment(environmentId))
        endStream(call, status.UNAUTHENTICATED, 'the environment of this key was deleted');
    },
    stop(): void {
      clearInterval(checks);
      for (const call of clients.keys()) endStream(call, status.UNAVAILABLE, 'the server is stopping');
    },
  };
}
