import { MatcherObject } from '@fanion/contract';
import { z } from 'zod';

export type Matcher = z.output<typeof MatcherObject>;

const form =
  /^\s*("(?:[^"\\]|\\.)*"|[^\s"=!~{},]+)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*"|[^\s"{}](?:[^"{}]*[^\s"{}])?)?\s*$/s;

/**
 * A matcher in Alertmanager's form: `team=~"a|b"`, `"service.name"=checkout`. Undefined if it is not valid. The server checks
 * patterns.
 */
export function parseMatcher(text: string): Matcher | undefined {
  const [, name = '', op, value = ''] = form.exec(text) ?? [];
  const matcher = { name: unquoted(name), op, value: unquoted(value) };
  const parsed = MatcherObject.safeParse(matcher);
  return parsed.success ? parsed.data : undefined;
}

export function matcherText({ name, op, value }: Matcher): string {
  const bare = /^[^\s"=!~{},\\'`]+$/.test(name) ? name : JSON.stringify(name);
  return `${bare}${op}${JSON.stringify(value)}`;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  return text
    .slice(1, -1)
    .replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, escaped: string) =>
      escaped.length === 5 ? String.fromCharCode(Number.parseInt(escaped.slice(1), 16)) : (escapes[escaped] ?? escaped),
    );
}

/** Matchers in a file, as texts or objects. */
export const FileMatchers = z
  .array(
    z.union(
      [
        MatcherObject,
        z.string().transform((text, ctx) => {
          const matcher = parseMatcher(text);
          if (matcher !== undefined) return matcher;
          ctx.addIssue({ code: 'custom', message: 'not a matcher' });
          return z.NEVER;
        }),
      ],
      { error: 'a matcher is a text such as team="a" or team=~"a|b", or has a name, an op and a value' },
    ),
  )
  .max(20);
