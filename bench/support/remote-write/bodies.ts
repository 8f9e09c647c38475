import { WireWriter } from '@fanion/telemetry';
import { compress } from 'snappyjs';

/** What one sender of remote write sends, as a scrape of that many series, over and over. */
export interface RemoteWriteShape {
  /** Series of each request; each sender has its own. */
  series: number;
  /** Samples of each series in a request: 1 is what Prometheus sends while nothing holds it up. */
  samples: number;
  senders: number;
  /** Of each sender. */
  requests: number;
  /** Unix milliseconds of the first sample, and how far the samples of a series are apart. */
  from: number;
  stepMs: number;
  /** Of a sender's series of that number; its own choice where it is left out. */
  labels?: (index: number, sender: number) => [string, string][];
  /** Of a sender's series of that number, at its n-th sample; a counter where it is left out. */
  value?: (index: number, at: number, sender: number) => number;
}

const routes = ['/cart', '/cart/{id}', '/checkout', '/products', '/products/{id}', '/users/{id}', '/search', '/login'];
const methods = ['GET', 'POST', 'PUT', 'DELETE'];
/** Series of one target. */
const PER_TARGET = 50;

function grownBy(index: number, at: number): number {
  return at * (1 + (index % 7)) + ((at * 31 + index) % 11);
}

function requestLabels(index: number, sender: number): [string, string][] {
  const target = Math.floor(index / PER_TARGET);
  return [
    ['__name__', `http_requests_${index % 10}_total`],
    ['cluster', `cluster-${sender}`],
    ['code', String([200, 201, 404, 500][index % 4])],
    ['instance', `10.0.${sender}.${target}:9090`],
    ['job', `service-${target % 10}`],
    ['method', methods[index % methods.length] ?? ''],
    ['route', routes[index % routes.length] ?? ''],
    ['shard', String(index % PER_TARGET)],
  ];
}

/**
 * Bodies of remote write 1.0, packed: counters that grow, in the order of time. By sender, in the order of sending; all of
 * them are made beforehand, so that a sender does nothing but write to its socket.
 */
export function remoteWriteBodies({
  series,
  samples,
  senders,
  requests,
  from,
  stepMs,
  labels: labelsOf = requestLabels,
  value = grownBy,
}: RemoteWriteShape): Buffer[][] {
  return Array.from({ length: senders }, (_, sender) => {
    const labels = Array.from({ length: series }, (_, index) => labelsOf(index, sender));
    return Array.from({ length: requests }, (_, request) => {
      const writer = new WireWriter();
      for (const [index, own] of labels.entries()) {
        writer.varint(10);
        writer.nested(() => {
          for (const [name, value] of own) {
            writer.varint(10);
            writer.nested(() => {
              writer.varint(10);
              writer.string(name);
              writer.varint(18);
              writer.string(value);
            });
          }
          for (let i = 0; i < samples; i++) {
            const at = request * samples + i;
            writer.varint(18);
            writer.nested(() => {
              writer.varint(9);
              writer.double(value(index, at, sender));
              writer.varint(16);
              writer.varint(from + at * stepMs);
            });
          }
        });
      }
      return Buffer.from(compress(Uint8Array.from(writer.result())));
    });
  });
}
