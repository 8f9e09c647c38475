import { RE2JS } from 're2js';

/** As long as Prometheus' longest useful patterns; each compiles to at least an instruction per character. */
const MAX_PATTERN_LENGTH = 10_000;

/** A pattern that matches whole strings, or why it is not one. RE2 takes linear time, so patterns of users never reach V8. */
export function compilePattern(pattern: string): RE2JS | string {
  if (pattern.length > MAX_PATTERN_LENGTH) return `pattern has more than ${MAX_PATTERN_LENGTH} characters`;
  try {
    return RE2JS.compile(`^(?s:${pattern})$`);
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
  }
}
