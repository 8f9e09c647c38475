import type { AttributeReader } from './compiled.ts';
import { withoutV } from './operators/semver.ts';
import type { ReadAs } from './ruleset.ts';

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
/** The longest text that is parsed as a number. */
const MAX_NUMBER_LENGTH = 64;

/** The reader of a clause with a conversion; see `Clause.as`. */
export function readAs(read: AttributeReader, as: ReadAs | undefined): AttributeReader {
  switch (as) {
    case undefined:
      return read;
    case 'size':
      return (scope) => {
        const value = read(scope);
        return Array.isArray(value) ? value.length : undefined;
      };
    case 'number':
      return (scope) => each(read(scope), asNumber);
    case 'text':
      return (scope) => each(read(scope), asText);
    case 'version':
      return (scope) => each(read(scope), asVersion);
  }
}

function each(value: unknown, convert: (value: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(convert) : convert(value);
}

/** Whether a clause that reads an attribute as a number reads this text as one. */
export function isDecimalText(text: string): boolean {
  return text.length <= MAX_NUMBER_LENGTH && DECIMAL.test(text);
}

/** A text that is not a decimal number stays a text, which equals no number. */
function asNumber(value: unknown): unknown {
  return typeof value === 'string' && isDecimalText(value) ? Number(value) : value;
}

function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function asVersion(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : withoutV(value);
}
