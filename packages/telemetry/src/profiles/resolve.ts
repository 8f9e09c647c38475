import { anyValue, keyValue } from '../wire/fields.ts';
import { WireReader } from '../wire/reader.ts';
import { eachField, indexOf } from '../wire/walk.ts';
import { WireWriter } from '../wire/writer.ts';
import { ProfileDictionary, referencedText } from './dictionary.ts';
import { keyReference, stringReference } from './fields.ts';

/** The path to a message, field by field: fields by their tags, or the attributes at the end. */
type Way = Map<number, Way> | 'key-value';

/** request → resource → attributes, and request → scopes → scope → attributes. */
const attributesOf: Way = new Map<number, Way>([
  [
    10,
    new Map<number, Way>([
      [10, new Map<number, Way>([[10, 'key-value']])],
      [18, new Map<number, Way>([[10, new Map<number, Way>([[26, 'key-value']])]])],
    ]),
  ],
]);

/**
 * Attributes of resources and scopes may refer to the dictionary of their request. Replaces such references by their
 * texts, so that they are read like those of every other signal. Returns a body without references unchanged.
 * @throws {WireError | TooLarge}
 */
export function resolveReferences(body: Buffer): Buffer {
  const reader = new WireReader(body);
  if (!hasReferences(reader, body.length, attributesOf)) return body;
  const dictionary = new ProfileDictionary(reader);
  const writer = new WireWriter();
  reader.position = 0;
  write(reader, body.length, attributesOf, dictionary, writer);
  return writer.result();
}

function hasReferences(reader: WireReader, end: number, way: Way): boolean {
  let found = false;
  eachField(reader, end, (tag) => {
    if (way === 'key-value') {
      if (tag === keyReference) found = true;
      if (tag !== keyValue.value) return false;
      const stop = reader.enter(end);
      eachField(reader, stop, (inner) => {
        if (inner === stringReference) found = true;
        return false;
      });
      return true;
    }
    const next = way.get(tag);
    if (next === undefined) return false;
    const stop = reader.enter(end);
    found = hasReferences(reader, stop, next) || found;
    return true;
  });
  return found;
}

function write(reader: WireReader, end: number, way: Way, dictionary: ProfileDictionary, writer: WireWriter): void {
  let start = reader.position;
  eachField(reader, end, (tag) => {
    const next = way === 'key-value' ? undefined : way.get(tag);
    if (next !== undefined) {
      const stop = reader.enter(end);
      writer.varint(tag);
      writer.nested(() => write(reader, stop, next, dictionary, writer));
    } else if (way === 'key-value' && tag === keyReference) {
      writer.varint(keyValue.key);
      writer.string(dictionary.text(indexOf(reader)));
    } else if (way === 'key-value' && tag === keyValue.value) {
      const stop = reader.enter(end);
      const from = reader.position;
      const text = referencedText(reader, from, stop, dictionary);
      if (text === undefined) writer.copy(reader.bytes.subarray(start, stop));
      else {
        writer.varint(keyValue.value);
        writer.nested(() => {
          writer.varint(anyValue.string);
          writer.string(text);
        });
      }
      reader.position = stop;
    } else {
      reader.skip(tag, end);
      writer.copy(reader.bytes.subarray(start, reader.position));
    }
    start = reader.position;
    return true;
  });
}
