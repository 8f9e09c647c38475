import type { Writable } from 'node:stream';
import type { Ruleset } from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import type { Rulesets, Streams } from '../../features/flags/evaluation/index.ts';
import { createBreath } from '../../platform/breath.ts';
import { endStream } from './grpc-server.ts';
import { createPlacedStreams, type Place } from './placed-streams.ts';

interface Client {
  readonly place: Place;
  /** The newest ruleset while it is not yet written. */
  next: Ruleset | undefined;
  isConverting: boolean;
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
  readonly messageOf: (ruleset: Ruleset) => Promise<Buffer>;
}): SyncClients {
  const clients = createPlacedStreams<Client>(streams);

  function send(call: Writable, client: Client): void {
    const { next } = client;
    if (next === undefined || client.isConverting || call.writableLength > 0 || !call.writable) return;
    client.isConverting = true;
    messageOf(next).then(
      (message) => {
        client.isConverting = false;
        // There may be a newer one by now.
        if (client.next !== next) return send(call, client);
        client.next = undefined;
        call.write(message, () => send(call, client));
      },
      () => endStream(call, status.INTERNAL, 'the flags could not be converted'),
    );
  }

  /** The library copies the message for each client. */
  async function sendAll(those: readonly (readonly [Writable, Client])[]): Promise<void> {
    const breath = createBreath();
    for (const [call, client] of those) {
      send(call, client);
      await breath();
    }
  }

  rulesets.listen({
    swapped({ environmentId, held }) {
      const those = clients.in(environmentId);
      for (const [, client] of those) client.next = held.ruleset;
      void sendAll(those);
    },
    dropped: clients.dropped,
  });

  return {
    open(call, place, ruleset) {
      const client: Client = { place, next: ruleset, isConverting: false };
      if (!clients.admit(call, client)) return false;
      const remove = () => clients.remove(call);
      call.on('cancelled', remove).on('close', remove).on('finish', remove);
      send(call, client);
      return true;
    },
    stop: clients.stop,
  };
}
