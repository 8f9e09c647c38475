import { unpackSnappy } from '../convert/snappy.ts';
import { WireError, WireReader } from '../wire/reader.ts';
import { eachField } from '../wire/walk.ts';

export interface ReadMatcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** One query of a read request. Times are Unix milliseconds, both inclusive. */
export interface ReadQuery {
  readonly start: number;
  readonly end: number;
  readonly matchers: readonly ReadMatcher[];
}

/** `prometheus.LabelMatcher.Type`. */
const operators = ['=', '!=', '=~', '!~'] as const;
const maxQueries = 100;

/**
 * Reads `prometheus.ReadRequest` (prompb/remote.proto) in Snappy. Which forms of answers the client takes is not read: every
 * client takes samples.
 * @throws {WireError | TooLarge}
 */
export function decodeReadRequest(packed: Buffer, maxBytes: number): ReadQuery[] {
  const body = unpackSnappy(packed, maxBytes);
  const reader = new WireReader(body);
  const queries: ReadQuery[] = [];
  eachField(reader, body.length, (tag) => {
    if (tag !== 10) return false;
    if (queries.length === maxQueries) throw new WireError(`more than ${maxQueries} queries in one request`);
    queries.push(readQuery(reader, reader.enter(body.length)));
    return true;
  });
  return queries;
}

function readQuery(reader: WireReader, end: number): ReadQuery {
  const query = { start: 0, end: 0, matchers: [] as ReadMatcher[] };
  eachField(reader, end, (tag) => {
    if (tag === 8) query.start = signed(reader);
    else if (tag === 16) query.end = signed(reader);
    else if (tag === 26) query.matchers.push(readMatcher(reader, reader.enter(end)));
    else return false;
    return true;
  });
  return query;
}

function signed(reader: WireReader): number {
  reader.int64();
  return reader.high * 4_294_967_296 + (reader.low >>> 0);
}

function readMatcher(reader: WireReader, end: number): ReadMatcher {
  let [type, name, value] = [0, '', ''];
  eachField(reader, end, (tag) => {
    if (tag === 8) type = reader.varint();
    else if (tag === 18) name = readText(reader, end);
    else if (tag === 26) value = readText(reader, end);
    else return false;
    return true;
  });
  const op = operators[type];
  if (op === undefined) throw new WireError(`unknown type of matcher: ${type}`);
  return { name, op, value };
}

function readText(reader: WireReader, end: number): string {
  const stop = reader.enter(end);
  const text = reader.bytes.toString('utf8', reader.position, stop);
  reader.position = stop;
  return text;
}
