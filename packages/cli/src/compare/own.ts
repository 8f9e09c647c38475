import { type Fields, fieldsListOf, fieldsOf, textOf } from '../files/fields.ts';
import { openFeatureContext } from './contexts.ts';
import type { OwnAnswer } from './differences.ts';

/** Answers of Fanion for all flags of a context. @throws Error with the server's message */
export async function askFanion(
  endpoint: string,
  sdkKey: string,
  context: Fields,
): Promise<ReadonlyMap<string, OwnAnswer>> {
  const response = await fetch(`${endpoint}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sdkKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ context: openFeatureContext(context) }),
  }).catch(() => {
    throw new Error(`the server cannot be reached: ${endpoint}`);
  });
  const body = fieldsOf(await response.json().catch(() => undefined));
  if (!response.ok) throw new Error(textOf(body.errorDetails) ?? `the server answered ${response.status}`);
  return new Map(
    fieldsListOf(body.flags).map((flag): [string, OwnAnswer] => [
      textOf(flag.key) ?? '',
      {
        value: flag.value,
        variant: textOf(flag.variant),
        reason: textOf(flag.reason),
        error: textOf(flag.errorCode) && (textOf(flag.errorDetails) ?? textOf(flag.errorCode)),
      },
    ]),
  );
}
