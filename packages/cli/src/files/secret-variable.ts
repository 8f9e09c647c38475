import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/**
 * A secret from a variable, or from the file that the variable with `_FILE` at its end names, without the line break at its end.
 *
 * @throws UsageError
 */
export function secretVariable(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = env[name];
  const file = env[`${name}_FILE`];
  if (!file) return value || undefined;
  if (value) throw new UsageError(`${name} and ${name}_FILE are set: set one of them`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(
      `${name}_FILE: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
