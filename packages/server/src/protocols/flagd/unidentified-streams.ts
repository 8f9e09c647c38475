import type { Writable } from 'node:stream';
import { status } from '@grpc/grpc-js';
import { endStream } from './grpc-server.ts';

const mostStreams = 200;
const longestMs = 60_000;

export interface UnidentifiedStreams {
  /** Returns whether there is room. */
  add(peer: string, call: Writable): boolean;
  remove(peer: string, call: Writable): void;
  /** Removes the streams of a connection, and returns them. */
  take(peer: string): readonly Writable[];
  stop(): void;
}

/** Event streams on which no key was sent yet. Anybody may open one, so these are few and do not last. */
export function createUnidentifiedStreams(): UnidentifiedStreams {
  const peers = new Map<string, Map<Writable, NodeJS.Timeout>>();
  let count = 0;

  function remove(peer: string, call: Writable): void {
    const calls = peers.get(peer);
    if (calls === undefined || !calls.has(call)) return;
    clearTimeout(calls.get(call));
    calls.delete(call);
    count--;
    if (calls.size === 0) peers.delete(peer);
  }

  return {
    add(peer, call) {
      if (count >= mostStreams) return false;
      const late = setTimeout(() => {
        remove(peer, call);
        const details = `no key was sent on this connection within ${longestMs / 1_000} seconds`;
        endStream(call, status.UNAUTHENTICATED, details);
      }, longestMs).unref();
      const calls = peers.get(peer) ?? new Map<Writable, NodeJS.Timeout>();
      peers.set(peer, calls.set(call, late));
      count++;
      return true;
    },
    remove,
    take(peer) {
      const calls = [...(peers.get(peer)?.keys() ?? [])];
      for (const call of calls) remove(peer, call);
      return calls;
    },
    stop() {
      for (const [peer, calls] of peers)
        for (const call of [...calls.keys()]) {
          remove(peer, call);
          endStream(call, status.UNAVAILABLE, 'the server is stopping');
        }
    },
  };
}
