import type { Writable } from 'node:stream';
import type { RulesetPatch } from '@fanion/flag-engine';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import type { Rulesets, Streams } from '../../features/flags/evaluation/index.ts';
import type { Form } from './connect-rules.ts';
import { endStream } from './grpc-server.ts';
import { writeEvent } from './json-messages.ts';
import { encodeEvent, type Fields } from './messages.ts';
import { createPlacedStreams, type Place } from './placed-streams.ts';
import { createUnidentifiedStreams } from './unidentified-streams.ts';

export type EventCall = ServerWritableStream<Buffer, Buffer>;

interface Client {
  readonly place: Place;
  /** Whether the stream itself was opened with the key. */
  readonly sentKey: boolean;
  readonly form: Form;
}

const writers = { proto: encodeEvent, json: writeEvent } as const satisfies Record<Form, typeof encodeEvent>;

/** Events that a client has not read. */
const mostUnread = 16;

export interface EventStreams {
  /** Returns whether there is room for the stream, which lasts until one side ends it. */
  open(call: Writable & Pick<EventCall, 'getPeer'>, place: Place | undefined, form: Form): boolean;
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
  const clients = createPlacedStreams<Client>(streams);
  const unidentified = createUnidentifiedStreams();

  function tell(environmentId: string, data: Fields): void {
    const event = (form: Form) => ({
      named: writers[form]('configuration_change', data),
      unnamed: writers[form]('configuration_change', { flags: {} }),
    });
    // All streams of a form share one message.
    const written: Partial<Record<Form, ReturnType<typeof event>>> = {};
    for (const [call, { sentKey, form }] of clients.in(environmentId)) {
      if (!call.writable) continue;
      written[form] ??= event(form);
      if (call.writableLength < mostUnread) call.write(written[form][sentKey ? 'named' : 'unnamed']);
      // It keeps its place until it is closed, since its events are still in memory.
      else endStream(call, status.RESOURCE_EXHAUSTED, `the client has not read ${mostUnread} events`);
    }
  }

  rulesets.listen({
    swapped: ({ environmentId, held, patch }) => tell(environmentId, changesOf(patch, Object.keys(held.ruleset.flags))),
    dropped: clients.dropped,
  });

  return {
    open(call, place, form) {
      const peer = call.getPeer();
      const hasRoom =
        place === undefined ? unidentified.add(peer, call) : clients.admit(call, { place, sentKey: true, form });
      if (!hasRoom) return false;
      const remove = () => {
        clients.remove(call);
        unidentified.remove(peer, call);
      };
      call.on('cancelled', remove).on('close', remove).on('finish', remove);
      call.write(writers[form]('provider_ready', {}));
      return true;
    },
    identify(peer, place) {
      for (const call of unidentified.take(peer))
        if (!clients.admit(call, { place, sentKey: false, form: 'proto' }))
          endStream(call, status.RESOURCE_EXHAUSTED, 'too many event streams');
    },
    stop() {
      unidentified.stop();
      clients.stop();
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
