import type { Writable } from 'node:stream';
import type { RulesetPatch } from '@fanion/flag-engine';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import type { Rulesets, Streams } from '../../features/flags/evaluation/index.ts';
import { endStream } from './grpc-server.ts';
import { encodeEvent, type Fields } from './messages.ts';
import { createUnidentifiedStreams } from './unidentified-streams.ts';

export type EventCall = ServerWritableStream<Buffer, Buffer>;

export interface Place {
  readonly keyId: string;
  readonly environmentId: string;
}

interface Client {
  readonly place: Place;
  /** Whether the stream itself was opened with the key. */
  readonly sentKey: boolean;
}

const mostStreams = 2_000;
const keyCheckMs = 2_000;
/** Events that a client has not read. */
const mostUnread = 16;

export interface EventStreams {
  /** Returns whether there is room for the stream, which lasts until one side ends it. */
  open(call: Writable & Pick<EventCall, 'getPeer'>, place: Place | undefined): boolean;
  /** A key was sent on a connection: its streams without one belong to that environment from now on. */
  identify(peer: string, place: Place): void;
  stop(): void;
}

/**
 * flagd's event streams. Its provider for Node opens the stream without a key and sends one with each evaluation, so the
 * stream follows the first key on its connection. It then hears that something has changed, and not which flags: a proxy may share the
 * connection.
 */
export function createEventStreams({
  rulesets,
  streams,
}: {
  readonly rulesets: Pick<Rulesets, 'listen'>;
  readonly streams: Pick<Streams, 'isLive'>;
}): EventStreams {
  const clients = new Map<Writable, Client>();
  const unidentified = createUnidentifiedStreams();

  function admit(call: Writable, client: Client): boolean {
    if (clients.size >= mostStreams) return false;
    clients.set(call, client);
    return true;
  }

  function tell(environmentId: string, data: Fields): void {
    const named = encodeEvent('configuration_change', data);
    const unnamed = encodeEvent('configuration_change', { flags: {} });
    for (const [call, { place, sentKey }] of clients) {
      if (place.environmentId !== environmentId || !call.writable) continue;
      if (call.writableLength < mostUnread) call.write(sentKey ? named : unnamed);
      // It keeps its place until it is closed, since its events are still in memory.
      else endStream(call, status.RESOURCE_EXHAUSTED, `the client has not read ${mostUnread} events`);
    }
  }

  rulesets.listen({
    swapped: ({ environmentId, held, patch }) => tell(environmentId, changesOf(patch, Object.keys(held.ruleset.flags))),
    dropped(environmentId) {
      for (const [call, { place }] of clients)
        if (place.environmentId === environmentId)
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
    open(call, place) {
      const peer = call.getPeer();
      const hasRoom = place === undefined ? unidentified.add(peer, call) : admit(call, { place, sentKey: true });
      if (!hasRoom) return false;
      const remove = () => {
        clients.delete(call);
        unidentified.remove(peer, call);
      };
      call.on('cancelled', remove).on('close', remove).on('finish', remove);
      call.write(encodeEvent('provider_ready', {}));
      return true;
    },
    identify(peer, place) {
      for (const call of unidentified.take(peer))
        if (!admit(call, { place, sentKey: false }))
          endStream(call, status.RESOURCE_EXHAUSTED, 'too many event streams');
    },
    stop() {
      clearInterval(checks);
      unidentified.stop();
      for (const call of clients.keys()) endStream(call, status.UNAVAILABLE, 'the server is stopping');
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
