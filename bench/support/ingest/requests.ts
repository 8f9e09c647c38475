import { gzipSync } from 'node:zlib';
import type { Signal } from '@fanion/telemetry';
import { BATCHES, batch, GROWTH, POINT_EVERY_MS, SENDERS } from './data.ts';
import { moveTimes, timesIn, toJson } from './json.ts';
import { type Renewable, renew, renewableOf } from './renew.ts';

export const protocols = ['http-protobuf', 'http-json', 'grpc'] as const;
export type Protocol = (typeof protocols)[number];

export interface Requests {
  /** The next body, renewed; it is valid until it comes again, 400 requests later. */
  next(): Buffer;
  /** Bytes of all different bodies. */
  readonly bytes: number;
}

/** An endless sequence of bodies. Gzipped ones are not changed, so that compression is not part of the measurement. */
export function createRequests(signal: Signal, protocol: Protocol, gzip: boolean): Requests {
  const now = Date.now();
  const raw = Array.from({ length: BATCHES }, (_, index) => batch(signal, index, now));
  const bodies = raw.map((body) => {
    const sent = protocol === 'http-json' ? toJson(signal, body) : body;
    return gzip ? gzipSync(sent) : sent;
  });
  const binary: (Renewable | undefined)[] = bodies.map((body) =>
    gzip || protocol === 'http-json' ? undefined : renewableOf(signal, body),
  );
  const json = bodies.map((body) => (gzip || protocol !== 'http-json' ? [] : timesIn(body, signal)));
  const sentAt = bodies.map(() => now);
  const slots = BATCHES / SENDERS;
  let count = 0;
  return {
    bytes: bodies.reduce((sum, body) => sum + body.length, 0),
    next() {
      const index = count % BATCHES;
      const round = Math.floor(count++ / BATCHES);
      const body = bodies[index] as Buffer;
      const time = Date.now();
      const later =
        signal === 'metrics' ? (round === 0 ? 0 : slots * POINT_EVERY_MS) : time - (sentAt[index] as number);
      sentAt[index] = time;
      const places = binary[index];
      if (places === undefined) moveTimes(body, json[index] as number[], later);
      else if (round > 0) renew(body, places, round, later, slots * GROWTH);
      return body;
    },
  };
}
