import { RE2JS } from 're2js';
import { LogqlError } from './logql/error.ts';

const longest = 10_000;

/** Users write patterns: RE2 takes linear time. @throws LogqlError */
export function compilePattern(pattern: string): RE2JS {
  if (pattern.length > longest) throw new LogqlError(`a regular expression has more than ${longest} characters`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new LogqlError(`error parsing regexp: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Labels match whole. */
export function wholePattern(pattern: string): string {
  return `^(?s:${pattern})$`;
}

/** Matches a text literally. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The regex of a pattern such as `<_> level=<_>`: what it does not name may be anything. */
export function templatePattern(pattern: string): string {
  return `^(?s:${pattern.split('<_>').map(literally).join('.*?')})$`;
}
