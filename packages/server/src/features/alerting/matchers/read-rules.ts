import { parseMatchers } from './parse-rules.ts';
import { type CompiledMatchers, compileMatchers, type Matcher } from './rules.ts';

/** Matchers of one list. */
const maxMatchers = 20;
/** Instructions of the patterns of one list: a label of 1,024 characters costs at most 5 ms. */
const maxSize = 1_000;

export interface ReadMatchers {
  readonly matchers: readonly Matcher[];
  readonly compiled: CompiledMatchers;
}

/**
 * Reads and compiles matchers as a person wrote them.
 * @param path of the list in the body, for the problem
 */
export function readMatchers(
  input: readonly (string | Matcher)[],
  path: string,
): ReadMatchers | { readonly path: string; readonly message: string } {
  const matchers: Matcher[] = [];
  /** The place in the input of each matcher, since a text may have several. */
  const places: number[] = [];
  for (const [at, one] of input.entries()) {
    const parsed = typeof one === 'string' ? parseMatchers(one) : [one];
    if ('problem' in parsed) return { path: `${path}[${at}]`, message: parsed.problem };
    for (const { name, op, value } of parsed) {
      matchers.push({ name, op, value });
      places.push(at);
    }
  }
  if (matchers.length > maxMatchers) return { path, message: `has more than ${maxMatchers} matchers` };
  const compiled = compileMatchers(matchers);
  if ('problem' in compiled) return { path: `${path}[${places[compiled.at] ?? 0}]`, message: compiled.problem };
  if (compiled.size > maxSize)
    return { path, message: `has patterns that are too large: ${compiled.size} instructions of ${maxSize}` };
  return { matchers, compiled };
}
