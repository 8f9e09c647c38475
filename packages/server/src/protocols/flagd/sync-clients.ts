import type { Writable } from 'node:stream';
import type { Ruleset } from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import type { Rulesets, Streams } from '../../features/flags/evaluation/index.ts';
import { createBreath } from '../../platform/breath.ts';
import type { Place } from './event-streams.ts';
import { endStream } from './grpc-server.ts';

const mostStreams = 2_000;
const keyCheckMs = 2_000;

interface Client {
  readonly place: Place;
  /** The newest ruleset while it is not yet written. */
  next: Ruleset | undefined;
}

export interface SyncClients {
  /** Returns whether there is room for the stream, which lasts until one side ends it. */
  open(call: Writable, place: Place, ruleset: Ruleset): boolean;
  stop(): void;
}

/**
 * Streams of configurations. A client has at most one configuration that it has not read; when it has, it gets the newest one,
 * and none of those in between.
 */
export function createSyncClients({
  rulesets,
  streams,
  messageOf,
}: {
  readonly rulesets: Pick<Rulesets, 'listen'>;
  readonly streams: Pick<Streams, 'isLive'>;
  readonly messageOf: (ruleset: Ruleset) => Buffer;
}): SyncClients {
  const clients = new Map<Writable, Client>();

  function send(call: Writable, client: Client): void {
    const { next } = client;
    if (next === undefined || call.writableLength > 0 || !call.writable) return;
    client.next = undefined;
    call.write(messageOf(next), () => send(call, client));
  }

  /** The library copies the message for each client. */
  async function sendAll(those: readonly (readonly [Writable, Client])[]): Promise<void> {
    const breath = createBreath();
    for (const [call, client] of those) {
      send(call, client);
      await breath();
    }
  }

  const clientsOf = (environmentId: string) =>
    [...clients].filter(([, { place }]) => place.environmentId === environmentId);

  rulesets.listen({
    swapped({ environmentId, held }) {
      const those = clientsOf(environmentId);
      for (const [, client] of those) client.next = held.ruleset;
      void sendAll(those);
    },
    dropped(environmentId) {
      for (const [call] of clientsOf(environmentId))
        endStream(call, status.UNAUTHENTICATED, 'the environment of this key was deleted');
    },
  });

  const checks = setInterval(() => {
    for (const [call, { place }] of clients)
      void streams.isLive(place.keyId).then((isLive) => {
        if (!isLive) endStream(call, status.UNAUTHENTICATED, 'the key was revoked');
      });
  }, keyCheckMs).unref();

  return {
    open(call, place, ruleset) {
      if (clients.size >= mostStreams) return false;
      const client: Client = { place, next: ruleset };
      clients.set(call, client);
      const remove = () => void clients.delete(call);
      call.on('cancelled', remove).on('close', remove).on('finish', remove);
      send(call, client);
      return true;
    },
    stop() {
      clearInterval(checks);
      for (const call of clients.keys()) endStream(call, status.UNAVAILABLE, 'the server is stopping');
    },
  };
}
