import type { PartialParse } from '@lezer/common';
import { TOKEN_LABELS } from '../grammar/expected.generated.ts';
import { parser } from '../grammar/parser.generated.ts';

export const strictParser = parser.configure({ strict: true });

/** The offset where a text stops being valid OQL, and the tokens expected there. */
export interface SyntaxFailure {
  readonly at: number;
  readonly expected: ReadonlySet<string>;
}

interface ParserStack {
  readonly pos: number;
  canShift(term: number): boolean;
}

// `stacks` is not part of the public interface of @lezer/lr (the version is pinned). Only it knows exactly which tokens
// are valid where the parser stopped.
function hasStacks(parse: PartialParse): parse is PartialParse & { readonly stacks: readonly ParserStack[] } {
  return 'stacks' in parse && Array.isArray(parse.stacks);
}

/** The first syntax error of a text, or undefined if it parses. */
export function firstFailure(text: string): SyntaxFailure | undefined {
  const parse = strictParser.startParse(text);
  if (!hasStacks(parse)) throw new Error('@lezer/lr has changed: its parse has no stacks');
  for (;;) {
    const before = parse.stacks[0];
    try {
      if (parse.advance()) return undefined;
    } catch (error) {
      if (!(error instanceof SyntaxError) || before === undefined) throw error;
      const expected = new Set<string>();
      for (const [term, label] of TOKEN_LABELS) if (before.canShift(term)) expected.add(label);
      return { at: skipSpace(text, before.pos), expected };
    }
  }
}

/** The tokens that the grammar accepts after a prefix of a query; used by completion. */
export function expectedAt(prefix: string): ReadonlySet<string> {
  // No token starts with this character, so the parser stops exactly there.
  return firstFailure(`${prefix} \u0001`)?.expected ?? new Set();
}

/** The first offset at or after `at` that is neither white space nor a comment. */
export function skipSpace(text: string, at: number): number {
  const skipped = /^(?:[ \t\r\n\u00a0\ufeff]+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/.exec(text.slice(at));
  return at + (skipped?.[0].length ?? 0);
}
