import type { JsonValue } from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import { joined } from '../../features/flags/evaluation/index.ts';
import type { Fields, Resolution, Typed } from './messages.ts';
import { Refusal } from './resolve-rules.ts';

/*
 * The messages in the JSON of Protocol Buffers (https://protobuf.dev/programming-guides/json/): names in camel case, which
 * may also be sent as they are declared, and integers of 64 bits as text. Unknown fields are ignored.
 */

/** `ResolveBooleanRequest` and its equals, and `ResolveAllRequest`, which has no flag. @throws Refusal */
export function readResolve(body: unknown): { readonly flag: string; readonly context: Fields } {
  const { flagKey, flag_key, context } = readObject(body);
  const flag = flagKey ?? flag_key ?? '';
  if (typeof flag !== 'string') throw new Refusal(status.INVALID_ARGUMENT, 'flagKey must be a string');
  if (!isObject(context ?? {})) throw new Refusal(status.INVALID_ARGUMENT, 'context must be an object');
  return { flag, context: (context ?? {}) as Fields };
}

/** @throws Refusal */
export function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw new Refusal(status.INVALID_ARGUMENT, 'the message must be a JSON object');
  return body;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `ResolveBooleanResponse` and its equals. */
export function writeResolution({ typed, ...others }: Resolution): Buffer {
  const value = typed?.type === 'int' ? String(typed.value) : typed?.value;
  return textOf({ ...(typed !== undefined && { value }), ...others });
}

/** Where `AnyFlag` has a value of each type. */
const anyFlagNames = {
  boolean: 'boolValue',
  string: 'stringValue',
  float: 'doubleValue',
  int: 'doubleValue',
  object: 'objectValue',
} as const satisfies Record<Typed['type'], string>;

/** A member of the flags of `ResolveAllResponse`. */
export function writeAnyFlag(key: string, { typed, ...others }: Resolution): Buffer {
  const flag = { ...others, ...(typed !== undefined && { [anyFlagNames[typed.type]]: typed.value }) };
  return Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(flag)}`);
}

/** `ResolveAllResponse`, of the members of its flags. */
export function writeResolutions(members: readonly Uint8Array[]): Buffer {
  return joined('{"flags":{', members, '}}');
}

/** `EventStreamResponse`. */
export function writeEvent(type: string, data: Fields): Buffer {
  return textOf({ type, data });
}

const textOf = (message: Readonly<Record<string, JsonValue | object | undefined>>) =>
  Buffer.from(JSON.stringify(message));
