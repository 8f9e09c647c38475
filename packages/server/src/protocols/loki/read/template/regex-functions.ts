import { LogqlError } from '../logql/error.ts';
import { compilePattern, type Match, type Pattern } from '../pattern-rules.ts';
import { counted, type TemplateContext, type TemplateFunction } from './signature.ts';
import { TemplateError, type Value } from './value.ts';

/** Expressions are mostly written in the template, so few are in use. */
const compiled = new Map<string, Pattern>();
const mostCompiled = 100;

function patternOf(text: string): Pattern {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= mostCompiled) compiled.clear();
  const pattern = compilePattern(text);
  compiled.set(text, pattern);
  return pattern;
}

function ofMatches(
  name: string,
  count: number,
  run: (text: string, matches: readonly Match[], last: string, context: TemplateContext) => Value,
): TemplateFunction {
  return (args, context) => {
    counted(name, args, count);
    const [regex, text, last = ''] = args;
    if (typeof regex !== 'string' || typeof text !== 'string' || typeof last !== 'string')
      throw new TemplateError(`wrong type for value of ${name}; expected string`);
    try {
      return run(text, patternOf(regex).findAll(text), last, context);
    } catch (error) {
      throw error instanceof LogqlError ? new TemplateError(error.message) : error;
    }
  };
}

function replaced(
  text: string,
  matches: readonly Match[],
  other: (match: Match) => string,
  { longest }: TemplateContext,
): string {
  let [result, at] = ['', 0];
  for (const match of matches) {
    result += text.slice(at, match.start) + other(match);
    at = match.end;
    if (result.length > longest) throw new TemplateError(`the result has more than ${longest} characters`);
  }
  return result + text.slice(at);
}

/** `$1`, `$name`, `${name}` and `$$`, as Go's `Expand`. */
function expanded(template: string, match: Match): string {
  return template.replaceAll(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_, dollar, braced, plain) => {
    if (dollar !== undefined) return '$';
    return match.group(braced ?? plain) ?? '';
  });
}

export const regexFunctions: Readonly<Record<string, TemplateFunction>> = {
  regexReplaceAll: ofMatches('regexReplaceAll', 3, (text, matches, other, context) =>
    replaced(text, matches, (match) => expanded(other, match), context),
  ),
  regexReplaceAllLiteral: ofMatches('regexReplaceAllLiteral', 3, (text, matches, other, context) =>
    replaced(text, matches, () => other, context),
  ),
  count: ofMatches('count', 2, (_text, matches) => BigInt(matches.length)),
};
