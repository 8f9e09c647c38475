import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../platform/message-of.ts';
import { ConfigError } from './error.ts';

type Env = Readonly<Record<string, string | undefined>>;

const secrets = new Set([
  'DATABASE_URL',
  'CLICKHOUSE_URL',
  'FANION_SECRET_KEY',
  'FANION_SECRET_KEY_PREVIOUS',
  'FANION_METRICS_TOKEN',
  'FANION_SMTP_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
]);
const maxBytes = 64 * 1024;

/** Whether the value of a variable must not be printed, and may be in a file instead. */
export function isSecret(variable: string): boolean {
  return secrets.has(variable) || /^FANION_OIDC_[A-Z0-9]+_CLIENT_SECRET$/.test(variable);
}

/** The secret whose file a variable names: `FANION_SECRET_KEY` for `FANION_SECRET_KEY_FILE`. */
export function secretOfFile(variable: string): string | undefined {
  const secret = variable.endsWith('_FILE') ? variable.slice(0, -'_FILE'.length) : '';
  return isSecret(secret) ? secret : undefined;
}

/**
 * The variables that are set. Those that name files of secrets (`FANION_SECRET_KEY_FILE`) are replaced by the secrets, without
 * the line break at their end: container platforms mount secrets as files. An empty variable counts as not set.
 *
 * @throws ConfigError if a file cannot be read, is empty or too large, or if the secret is also given itself
 */
export function givenVariables(env: Env): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([variable, value]) => {
      if (!value) return [];
      const secret = secretOfFile(variable);
      if (secret === undefined) return [[variable, value]];
      if (env[secret]) throw new ConfigError(`${variable}: ${secret} is set too; set one of them`);
      return [[secret, readSecret(variable, value)]];
    }),
  );
}

function readSecret(variable: string, file: string): string {
  let text: string;
  try {
    const facts = statSync(file);
    if (facts.isDirectory()) throw new Error('it is a directory');
    if (facts.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text === '') throw new Error('it is empty');
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError(`${variable}: ${file} cannot be read as a secret: ${reason}`, { cause: error });
  }
  return text;
}
