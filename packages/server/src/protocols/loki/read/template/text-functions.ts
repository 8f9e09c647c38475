import { counted, ofTexts, type TemplateContext, type TemplateFunction } from './signature.ts';
import { timeText } from './time.ts';
import { plainText, TemplateError, toFloat, toInt, type Value } from './value.ts';

/** A number of characters that a text may grow to. */
function within(count: bigint, { longest }: TemplateContext): number {
  if (count > BigInt(longest)) throw new TemplateError(`the result has more than ${longest} characters`);
  return Number(count < 0n ? 0n : count);
}

/** A function of a whole number and a text. */
function ofCount(
  name: string,
  run: (count: bigint, text: string, context: TemplateContext) => string,
): TemplateFunction {
  return (args, context) => {
    counted(name, args, 2);
    const [count, text] = args;
    if (typeof count !== 'bigint' || typeof text !== 'string')
      throw new TemplateError(`wrong type for value of ${name}`);
    return run(count, text, context);
  };
}

function substr(args: readonly Value[]): string {
  counted('substr', args, 3);
  const [start, end, text] = args;
  if (typeof start !== 'bigint' || typeof end !== 'bigint' || typeof text !== 'string')
    throw new TemplateError('wrong type for value of substr');
  const runes = [...text];
  const last = end < 0n ? runes.length : Number(end);
  if (start < 0n) return end < 0n ? '' : runes.slice(0, last).join('');
  return runes.slice(Number(start), last).join('');
}

function indented(count: bigint, text: string, context: TemplateContext): string {
  const lines = text.split('\n');
  within(count * BigInt(lines.length), context);
  return lines.map((line) => ' '.repeat(Math.max(0, Number(count))) + line).join('\n');
}

function trimmed(text: string, characters: string, side: 'left' | 'right' | 'both'): string {
  const runes = [...text];
  const set = new Set(characters);
  let [from, to] = [0, runes.length];
  if (side !== 'right') while (from < to && set.has(runes[from] ?? '')) from++;
  if (side !== 'left') while (to > from && set.has(runes[to - 1] ?? '')) to--;
  return runes.slice(from, to).join('');
}

const withoutStart = (text: string, start: string) => (text.startsWith(start) ? text.slice(start.length) : text);
const withoutEnd = (text: string, end: string) =>
  end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;

function replaced(text: string, old: string, other: string, most: number, { longest }: TemplateContext): string {
  const pieces = old === '' ? ['', ...text, ''] : text.split(old);
  const count = most < 0 ? pieces.length - 1 : Math.min(most, pieces.length - 1);
  within(BigInt(text.length + count * other.length), { longest } as TemplateContext);
  return (
    pieces.slice(0, count + 1).join(other) +
    pieces
      .slice(count + 1)
      .map((piece) => old + piece)
      .join('')
  );
}

function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new TemplateError('invalid URL escape');
  }
}

function urlEncoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `%[flags][width][.precision]verb` of Go, for the verbs of texts and numbers. */
function printf([format, ...args]: readonly Value[], context: TemplateContext): string {
  if (typeof format !== 'string') throw new TemplateError('printf needs a format');
  let next = 0;
  const text = format.replaceAll(
    /%([-+ 0#]*)(\d{1,6})?(?:\.(\d{1,6})?)?([a-zA-Z%])/g,
    (whole, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (next >= args.length) return `%!${verb}(MISSING)`;
      const digits = precision === undefined ? (whole.includes('.') ? 0 : undefined) : Number(precision);
      const shown = verbText(verb, args[next++], digits, flags);
      const size = within(BigInt(width ?? 0), context);
      if (flags.includes('-')) return shown.padEnd(size);
      if (!flags.includes('0')) return shown.padStart(size);
      const sign = /^[+-]/.test(shown) ? shown.slice(0, 1) : '';
      return sign + shown.slice(sign.length).padStart(size - sign.length, '0');
    },
  );
  within(BigInt(text.length), context);
  return next < args.length ? `${text}%!(EXTRA)` : text;
}

function verbText(verb: string, value: Value, digits: number | undefined, flags: string): string {
  const signed = (text: string) => (flags.includes('+') && !text.startsWith('-') ? `+${text}` : text);
  const mismatch = () => `%!${verb}(${plainText(value, timeText)})`;
  switch (verb) {
    case 's':
    case 'v': {
      const text = plainText(value, timeText);
      return digits === undefined ? text : [...text].slice(0, digits).join('');
    }
    case 'q':
      return JSON.stringify(plainText(value, timeText));
    case 'd':
      return typeof value === 'bigint' ? signed(String(value)) : mismatch();
    case 'x':
    case 'X': {
      if (typeof value !== 'bigint' && typeof value !== 'string') return mismatch();
      const hex = typeof value === 'bigint' ? toInt(value).toString(16) : Buffer.from(value).toString('hex');
      return verb === 'x' ? hex : hex.toUpperCase();
    }
    case 'f':
      return typeof value === 'number' ? signed(toFloat(value).toFixed(Math.min(digits ?? 6, 100))) : mismatch();
    case 't':
      return typeof value === 'boolean' ? String(value) : mismatch();
    default:
      throw new TemplateError(`printf does not support %${verb}`);
  }
}

const title = (text: string) =>
  text.replaceAll(/(^|[^\p{L}\p{N}_'])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());

/** Functions of texts, in the order of the arguments that Loki documents. */
export const textFunctions: Readonly<Record<string, TemplateFunction>> = {
  lower: ofTexts('lower', 1, (text = '') => text.toLowerCase()),
  upper: ofTexts('upper', 1, (text = '') => text.toUpperCase()),
  ToLower: ofTexts('ToLower', 1, (text = '') => text.toLowerCase()),
  ToUpper: ofTexts('ToUpper', 1, (text = '') => text.toUpperCase()),
  title: ofTexts('title', 1, (text = '') => title(text)),
  trunc: ofCount('trunc', (count, text) => {
    const runes = [...text];
    return (count < 0n ? runes.slice(Number(count)) : runes.slice(0, Number(count))).join('');
  }),
  substr,
  contains: ofTexts('contains', 2, (part = '', text = '') => text.includes(part)),
  hasPrefix: ofTexts('hasPrefix', 2, (start = '', text = '') => text.startsWith(start)),
  hasSuffix: ofTexts('hasSuffix', 2, (end = '', text = '') => text.endsWith(end)),
  indent: ofCount('indent', indented),
  nindent: ofCount('nindent', (count, text, context) => `\n${indented(count, text, context)}`),
  repeat: ofCount('repeat', (count, text, context) => {
    within(count * BigInt(text.length), context);
    return text.repeat(Math.max(0, Number(count)));
  }),
  alignLeft: ofCount('alignLeft', (count, text, context) => {
    const runes = [...text].slice(0, within(count, context));
    return runes.join('') + ' '.repeat(Math.max(0, Number(count) - runes.length));
  }),
  alignRight: ofCount('alignRight', (count, text, context) => {
    const size = within(count, context);
    const runes = size === 0 ? [] : [...text].slice(-size);
    return ' '.repeat(Math.max(0, size - runes.length)) + runes.join('');
  }),
  replace(args, context) {
    counted('replace', args, 3);
    const [old, other, text] = args;
    return replaced(String(text), String(old), String(other), -1, context);
  },
  Replace(args, context) {
    counted('Replace', args, 4);
    const [text, old, other, most] = args;
    return replaced(String(text), String(old), String(other), Number(toInt(most)), context);
  },
  trim: ofTexts('trim', 1, (text = '') => text.trim()),
  TrimSpace: ofTexts('TrimSpace', 1, (text = '') => text.trim()),
  trimAll: ofTexts('trimAll', 2, (characters = '', text = '') => trimmed(text, characters, 'both')),
  trimPrefix: ofTexts('trimPrefix', 2, (start = '', text = '') => withoutStart(text, start)),
  trimSuffix: ofTexts('trimSuffix', 2, (end = '', text = '') => withoutEnd(text, end)),
  Trim: ofTexts('Trim', 2, (text = '', characters = '') => trimmed(text, characters, 'both')),
  TrimLeft: ofTexts('TrimLeft', 2, (text = '', characters = '') => trimmed(text, characters, 'left')),
  TrimRight: ofTexts('TrimRight', 2, (text = '', characters = '') => trimmed(text, characters, 'right')),
  TrimPrefix: ofTexts('TrimPrefix', 2, (text = '', start = '') => withoutStart(text, start)),
  TrimSuffix: ofTexts('TrimSuffix', 2, (text = '', end = '') => withoutEnd(text, end)),
  b64enc: ofTexts('b64enc', 1, (text = '') => Buffer.from(text).toString('base64')),
  b64dec: ofTexts('b64dec', 1, (text = '') => Buffer.from(text, 'base64').toString('utf8')),
  urlencode: ofTexts('urlencode', 1, (text = '') => urlEncoded(text)),
  urldecode: ofTexts('urldecode', 1, (text = '') => urlDecoded(text)),
  printf,
};
