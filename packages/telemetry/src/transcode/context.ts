import type { WalEntry } from '../entry.ts';
import { resource, resourceItems, scope, scopeItems } from '../wire/fields.ts';
import type { WireReader } from '../wire/reader.ts';
import { Attributes } from './attributes.ts';
import { Hash64 } from './hash.ts';
import { RowWriter } from './row-writer.ts';

/** The common values of one resource's rows. Buffers contain RowBinary. */
export interface ResourceContext {
  map: Buffer;
  /** The types of its attributes, its schema and how many attributes were dropped; `types` alone. */
  about: Buffer;
  types: Buffer;
  /** All of it as one JSON text, for answers: see migration 25. */
  text: Buffer;
  service: Buffer;
  environment: Buffer;
  hashLow: number;
  hashHigh: number;
  names: ResourceNames;
}

/** The sender's names in a resource. */
export interface ResourceNames {
  service: string;
  environment: string;
  sdkName: string;
  sdkLanguage: string;
  sdkVersion: string;
}

/** The common values of one scope's rows: name, version and attributes in RowBinary. */
export interface ScopeContext {
  columns: Buffer;
  /** As of a resource. */
  about: Buffer;
  text: Buffer;
  hashLow: number;
  hashHigh: number;
}

/** The value of an unset `service.name`: the specification's default for SDKs. */
const UNKNOWN_SERVICE = 'unknown_service';

/** Items found within a resource and scope. */
export interface ItemVisitor {
  resource(context: ResourceContext): void;
  scope(context: ScopeContext): void;
  /** The reader is at the start of the item and may be left anywhere. */
  item(reader: WireReader, end: number): void;
  /** After the last item of a resource: the size of the whole message. */
  resourceEnd(bytes: number): void;
}

const attributes = new Attributes();
const hash = new Hash64();
const scratch = new Hash64();

/** Walks a body that has passed the scan. Resource and scope may come after their items, so they are read first. */
export function walkItems(reader: WireReader, entry: WalEntry, visitor: ItemVisitor): void {
  const end = reader.bytes.length;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== 10) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    const start = reader.position;
    visitor.resource(readResource(reader, stop, entry));
    reader.position = start;
    while (reader.position < stop) {
      const inner = reader.tag();
      if (inner === resourceItems.scopes) walkScope(reader, reader.enter(stop), visitor);
      else reader.skip(inner, stop);
    }
    visitor.resourceEnd(stop - start);
  }
}

function walkScope(reader: WireReader, end: number, visitor: ItemVisitor): void {
  const start = reader.position;
  visitor.scope(readScope(reader, end));
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== scopeItems.items) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    visitor.item(reader, stop);
    reader.position = stop;
  }
}

/** Runs `read` on every message in the field `tag` up to `end`. */
function eachMessage(reader: WireReader, end: number, tag: number, read: (stop: number) => void): void {
  while (reader.position < end) {
    const found = reader.tag();
    if (found === tag) {
      const stop = reader.enter(end);
      read(stop);
      reader.position = stop;
    } else reader.skip(found, end);
  }
}

function readResource(reader: WireReader, end: number, entry: WalEntry): ResourceContext {
  attributes.clear();
  let dropped = 0;
  let schemaUrl = '';
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== resourceItems.resource && tag !== resourceItems.schemaUrl) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    if (tag === resourceItems.schemaUrl) schemaUrl = reader.bytes.toString('utf8', reader.position, stop);
    else {
      while (reader.position < stop) {
        const inner = reader.tag();
        if (inner === resource.attributes) attributes.read(reader, reader.enter(stop));
        else if (inner === resource.droppedAttributes) dropped = reader.varint();
        else reader.skip(inner, stop);
      }
    }
    reader.position = stop;
  }
  const text = (key: string) => {
    const index = attributes.find(reader.bytes, key);
    return index < 0 ? '' : attributes.textOf(reader, index);
  };
  const names: ResourceNames = {
    service: text('service.name') || UNKNOWN_SERVICE,
    environment: text('deployment.environment.name') || text('deployment.environment') || entry.environment,
    sdkName: text('telemetry.sdk.name'),
    sdkLanguage: text('telemetry.sdk.language'),
    sdkVersion: text('telemetry.sdk.version'),
  };
  hash.reset(1);
  attributes.hash(reader.bytes, scratch, hash);
  hash.finish();
  return {
    map: encode((row) => attributes.writeText(reader, row)),
    about: encodeAbout(reader, schemaUrl, dropped),
    types: encode((row) => row.text(attributes.types(reader.bytes))),
    text: encode((row) => row.text(`[${aboutText(reader, schemaUrl, dropped)}]`)),
    service: encode((row) => row.text(names.service)),
    environment: encode((row) => row.text(names.environment)),
    hashLow: hash.low,
    hashHigh: hash.high,
    names,
  };
}

function readScope(reader: WireReader, end: number): ScopeContext {
  attributes.clear();
  let name = '';
  let version = '';
  let schemaUrl = '';
  let dropped = 0;
  const start = reader.position;
  eachMessage(reader, end, scopeItems.schemaUrl, (stop) => {
    schemaUrl = reader.bytes.toString('utf8', reader.position, stop);
  });
  reader.position = start;
  eachMessage(reader, end, scopeItems.scope, (scopeEnd) => {
    while (reader.position < scopeEnd) {
      const tag = reader.tag();
      if (tag === scope.droppedAttributes) {
        dropped = reader.varint();
        continue;
      }
      if (tag !== scope.name && tag !== scope.version && tag !== scope.attributes) {
        reader.skip(tag, scopeEnd);
        continue;
      }
      const stop = reader.enter(scopeEnd);
      if (tag === scope.attributes) attributes.read(reader, stop);
      else if (tag === scope.name) name = reader.bytes.toString('utf8', reader.position, stop);
      else version = reader.bytes.toString('utf8', reader.position, stop);
      reader.position = stop;
    }
  });
  hash.reset(2);
  hash.string(name);
  hash.string(version);
  attributes.hash(reader.bytes, scratch, hash);
  hash.finish();
  const columns = encode((row) => {
    row.text(name);
    row.text(version);
    attributes.writeText(reader, row);
  });
  const named = `${JSON.stringify(name)},${JSON.stringify(version)}`;
  return {
    columns,
    about: encodeAbout(reader, schemaUrl, dropped),
    text: encode((row) => row.text(`[${aboutText(reader, schemaUrl, dropped)},${named}]`)),
    hashLow: hash.low,
    hashHigh: hash.high,
  };
}

/** For the resource or scope whose attributes were read last. */
function encodeAbout(reader: WireReader, schemaUrl: string, dropped: number): Buffer {
  return encode((row) => {
    row.text(attributes.types(reader.bytes));
    row.text(schemaUrl);
    row.reserve(4);
    row.uint32(dropped);
  });
}

/** The elements of a JSON list, for the resource or scope whose attributes were read last. */
function aboutText(reader: WireReader, schemaUrl: string, dropped: number): string {
  const types = attributes.types(reader.bytes);
  return `${attributes.textsAsJson(reader)},${JSON.stringify(types)},${JSON.stringify(schemaUrl)},${dropped}`;
}

const contextRow = new RowWriter();

function encode(write: (row: RowWriter) => void): Buffer {
  contextRow.length = 0;
  write(contextRow);
  return Buffer.from(contextRow.bytes.subarray(0, contextRow.length));
}
