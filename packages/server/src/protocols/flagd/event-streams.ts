import type { RulesetPatch } from '@fanion/flag-engine';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Rulesets, Streams } from '../../features/flags/evaluation/index.ts';
import { encodeEvent, type Fields } from './messages.ts';

export type EventCall = ServerWritableStream<Buffer, Buffer>;

export interface Place {
  readonly keyId: string;
  readonly environmentId: string;
}

interface Client {
  readonly peer: string;
  place: Place | undefined;
}

const mostStreams = 2_000;
const keyCheckMs = 2_000;

export interface EventStreams {
  /** Returns whether there is room for the stream, which lasts until one side ends it. */
  open(call: EventCall, place: Place | undefined): boolean;
  /** A key was sent on a connection: its streams without one belong to that environment from now on. */
  identify(peer: string, place: Place): void;
  stop(): void;
}

/**
 * flagd's event streams. Its provider for Node opens the stream without a key and sends one with each evaluation, so the
 * stream follows the first key on its connection. It then hears that something has changed, and not which flags: a proxy may share the
 * connection.
 */
export function createEventStreams({ rulesets, streams }: { rulesets: Rulesets; streams: Streams }): EventStreams {
  const clients = new Map<EventCall, Client & { readonly sentKey: boolean }>();

  function tell(environmentId: string, data: Fields): void {
    for (const [call, { place, sentKey }] of clients)
      if (place?.environmentId === environmentId)
        call.write(encodeEvent('configuration_change', sentKey ? data : { flags: {} }));
  }

  rulesets.listen({
    swapped: ({ environmentId, held, patch }) => tell(environmentId, changesOf(patch, Object.keys(held.ruleset.flags))),
    dropped(environmentId) {
      for (const [call, { place }] of clients) if (place?.environmentId === environmentId) call.end();
    },
  });

  const checks = setInterval(() => {
    for (const [call, { place }] of clients)
      if (place !== undefined)
        void streams.isLive(place.keyId).then((isLive) => {
          if (!isLive) call.end();
        });
  }, keyCheckMs).unref();

  return {
    open(call, place) {
      if (clients.size >= mostStreams) return false;
      clients.set(call, { peer: call.getPeer(), place, sentKey: place !== undefined });
      const remove = () => void clients.delete(call);
      call.on('cancelled', remove).on('close', remove).on('finish', remove).on('error', remove);
      call.write(encodeEvent('provider_ready', {}));
      return true;
    },
    identify(peer, place) {
      for (const client of clients.values())
        if (client.place === undefined && client.peer === peer) client.place = place;
    },
    stop() {
      clearInterval(checks);
      for (const call of clients.keys()) call.end();
    },
  };
}

/** A segment can change what any flag serves. */
function changesOf({ flags = {}, segments = {} }: RulesetPatch, all: readonly string[]): Fields {
  const others = Object.keys(segments).length > 0 ? all.map((key) => [key, { type: 'update' }] as const) : [];
  const changed = Object.entries(flags).map(
    ([key, flag]) => [key, { type: flag === null ? 'delete' : 'update' }] as const,
  );
  return { flags: Object.fromEntries([...others, ...changed]) };
}
