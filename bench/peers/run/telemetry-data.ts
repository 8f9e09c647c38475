import { ITEMS } from '../../support/ingest/data.ts';
import { createRequests } from '../../support/ingest/requests.ts';
import type { Question } from '../product.ts';

const CONNECTIONS = 8;
/** Different values that are asked for, so that no answer comes out of a cache of answers. */
const PROBES = 24;
const CUSTOMER = Buffer.from('app.customer.id');
const ROUTES = ['/cart', '/checkout', '/products', '/search', '/login'];

/** Spans or lines of the ingest bench: the same bytes for every product but for the times, which are those of sending. */
export interface TelemetryData {
  readonly bodies: readonly Iterable<Buffer>[];
  readonly itemsPerBody: number;
  /** What was sent, to ask for. */
  probe(kind: Question['kind'], round: number): Question;
}

export function telemetryData(signal: 'traces' | 'logs', items: number): TelemetryData {
  const requests = createRequests(signal, 'http-protobuf', false);
  const count = Math.ceil(items / ITEMS);
  const every = Math.max(1, Math.floor(count / PROBES));
  const probes: Probe[] = [];
  let sent = 0;
  function* connection(): Generator<Buffer> {
    while (sent < count) {
      const body = requests.next();
      if (sent++ % every === 0) probes.push(signal === 'traces' ? ofSpans(body) : ofLines(body));
      yield body;
    }
  }
  return {
    bodies: Array.from({ length: CONNECTIONS }, connection),
    itemsPerBody: ITEMS,
    probe(kind, round) {
      const probe = probes[round % probes.length];
      if (probe === undefined) throw new Error('nothing was sent');
      const { traceId = '', service = '', customer = '', word = '' } = probe;
      if (kind === 'trace by id') return { kind, traceId };
      if (kind === 'rare attribute') return { kind, service, customer };
      if (kind === 'frequent attribute') return { kind, service, route: ROUTES[round % ROUTES.length] ?? '' };
      if (kind === 'rare word') return { kind, word };
      if (kind === 'count by severity' || kind === 'top 10 of 50,000') return { kind };
      throw new Error(`${kind} is not asked of ${signal}`);
    },
  };
}

interface Probe {
  readonly service?: string;
  readonly traceId?: string;
  readonly customer?: string;
  readonly word?: string;
}

/** The first span of a body: its trace and its customer, of whom there are 50,000. */
function ofSpans(body: Buffer): Probe {
  // Field 1 of the span, sixteen bytes long; it follows the span's own field and length.
  const id = body.indexOf(Buffer.from([10, 16]));
  return {
    service: textAfter(body, Buffer.from('service.name')),
    traceId: body.toString('hex', id + 2, id + 18),
    customer: textAfter(body, CUSTOMER),
  };
}

/** A number of five digits in the body of a line: one of 100,000 orders. */
function ofLines(body: Buffer): Probe {
  for (let at = body.indexOf('order '); at >= 0; at = body.indexOf('order ', at + 1)) {
    const [, word] = /^order ([1-9]\d{4}) /.exec(body.toString('latin1', at, at + 13)) ?? [];
    if (word !== undefined) return { word };
  }
  throw new Error('no order of five digits');
}

/** The text value of an attribute: field 2, a message with field 1, after the key. */
function textAfter(body: Buffer, key: Buffer): string {
  const at = body.indexOf(key) + key.length;
  const length = body[at + 3] ?? 0;
  return body.toString('utf8', at + 4, at + 4 + length);
}
