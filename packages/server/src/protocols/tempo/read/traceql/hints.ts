import { TraceqlError, unsupported } from './error.ts';
import { closing, isSign, type Token } from './tokens.ts';
import type { Hints } from './tree.ts';

/** Most exemplars that a query may want. */
export const maxExemplars = 1_000;

type QueryKind = 'search' | 'metrics';

interface Hint {
  /** The kind of query that it is for; absent: both. */
  readonly only?: QueryKind;
  /** @throws {TraceqlError} if it asks for what is not done */
  read(value: string): Hints;
}

const nothing: Hints = {};

/** What answers already are: exact where a sample would do, newest first, and with what head sampling left out. */
const hints: Readonly<Record<string, Hint>> = {
  sample: { read: checkSample },
  span_sample: { read: checkSample },
  trace_sample: { read: checkSample },
  spanonly_fetch: { read: checkSwitch },
  most_recent: { only: 'search', read: checkSwitch },
  extrapolate: {
    only: 'metrics',
    read(value) {
      if (value === 'true') return nothing;
      throw new TraceqlError(
        'the hint extrapolate takes only true: metrics always count the spans that head sampling left out',
      );
    },
  },
  exemplars: { only: 'metrics', read: readExemplars },
};

function checkSwitch(value: string): Hints {
  if (value !== 'true' && value !== 'false') throw new TraceqlError(`a hint is true or false, not ${value}`);
  return nothing;
}

function checkSample(value: string): Hints {
  const share = Number(value);
  if (value === 'true' || value === 'false' || (share > 0 && share <= 1)) return nothing;
  throw new TraceqlError(`a sample is true, false or a share above 0 and up to 1, not ${value}`);
}

function readExemplars(value: string): Hints {
  if (value === 'true') return nothing;
  if (value === 'false') return { exemplars: 0 };
  const count = Number(value);
  if (/^\d+$/.test(value) && count <= maxExemplars) return { exemplars: count };
  throw new TraceqlError(`the hint exemplars is true, false or a number up to ${maxExemplars}, not ${value}`);
}

/**
 * The query before its hints, and what these say. Unlike Tempo, which ignores what it does not know, a hint that does
 * nothing here is an error.
 */
export function splitHints(tokens: readonly Token[]): readonly [query: readonly Token[], hints: readonly Token[]] {
  for (let at = 0; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) at = closing(tokens, at);
    else if (tokens[at]?.kind === 'word' && tokens[at]?.text === 'with' && isSign(tokens[at + 1], '('))
      return [tokens.slice(0, at), tokens.slice(at)];
  }
  return [tokens, []];
}

/** @throws {TraceqlError} on a hint that is unknown, has another value, or is for other queries */
export function hintsOf(tokens: readonly Token[], kind: QueryKind): Hints {
  let found: Hints = {};
  for (let at = 0; at < tokens.length; ) {
    if (tokens[at]?.text !== 'with' || !isSign(tokens[at + 1], '('))
      throw new TraceqlError(`unexpected ${tokens[at]?.text} after the hints: a query ends with them`);
    const end = closing(tokens, at + 1);
    if (end === tokens.length) throw new TraceqlError('the brackets of with( are not closed');
    for (const [name, value] of pairsOf(tokens.slice(at + 2, end))) found = { ...found, ...hintOf(name, value, kind) };
    at = end + 1;
  }
  return found;
}

function pairsOf(tokens: readonly Token[]): (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at <= tokens.length; at += 4) {
    const [name, equals, value, comma] = tokens.slice(at, at + 4);
    const isPair = name?.kind === 'word' && isSign(equals, '=') && value !== undefined;
    if (!isPair || (comma !== undefined && !isSign(comma, ',')))
      throw new TraceqlError('hints are written as with (name=value, name=value)');
    pairs.push([name.text, value.text]);
    if (comma === undefined) break;
  }
  return pairs;
}

function hintOf(name: string, value: string, kind: QueryKind): Hints {
  const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
  if (hint === undefined) throw unsupported(`the hint ${name}`);
  if (hint.only !== undefined && hint.only !== kind)
    throw new TraceqlError(`the hint ${name} is for ${hint.only === 'metrics' ? 'metrics queries' : 'searches'} only`);
  return hint.read(value);
}
