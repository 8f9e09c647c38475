import type { Evaluation, EvaluationContext, FlagKind } from '@fanion/flag-engine';

/** One flag in an answer of Unleash's frontend API. Flags that are absent are not enabled. */
export interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: false;
  readonly variant: ToggleVariant;
}

export interface ToggleVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly feature_enabled: boolean;
  readonly payload?: Payload;
}

export interface Payload {
  readonly type: 'string' | 'number' | 'json';
  readonly value: string;
}

/** Unleash's name for "no variant"; its importer gives it to the variant that a flag serves while it is not enabled. */
export const noVariant = 'disabled';

/**
 * Unleash's context as ours: `userId` is the targeting key, `currentTime` is the time, and the rest are attributes. Unleash
 * compares every field as text, so that an answer does not depend on how an SDK sends it. A field of the context wins over a
 * property of its name, as in Unleash.
 */
export function unleashContext({ properties, ...fields }: Readonly<Record<string, unknown>>): EvaluationContext {
  const attributes = new Map([...(isObject(properties) ? textsOf(properties) : []), ...textsOf(fields)]);
  // Names with a meaning of their own here.
  for (const name of ['targetingKey', 'now']) attributes.delete(name);
  const userId = attributes.get('userId') ?? '';
  const time = Date.parse(attributes.get('currentTime') ?? '');
  // `fromEntries` keeps `__proto__` an ordinary attribute.
  return Object.fromEntries([
    ...attributes,
    ...(userId === '' ? [] : [['targetingKey', userId] as const]),
    ...(Number.isNaN(time) ? [] : [['now', time] as const]),
  ]);
}

function textsOf(fields: object): (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[name, String(value)] as const]
      : [],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const property = /^properties\[(.+)\]$/s;

/** The context in a query string: `userId=u&properties[plan]=pro`. The last of repeated parameters counts. */
export function contextInQuery(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const properties: [string, string][] = [];
  const own: [string, string][] = [];
  for (const [name, value] of query) {
    const [, inner] = property.exec(name) ?? [];
    if (inner === undefined) own.push([name, value]);
    else properties.push([inner, value]);
  }
  return Object.fromEntries([...own, ['properties', Object.fromEntries(properties)]]);
}

/**
 * A flag as Unleash's frontend SDKs read it; undefined: it is absent. A boolean is the toggle itself. Any other value is the
 * payload of a variant, also while the flag is off and so not enabled: SDKs get the value that OFREP serves.
 */
export function toggleOf({ key, value, variant, reason, error }: Evaluation, kind: FlagKind): Toggle | undefined {
  if (error !== undefined || variant === null) return undefined;
  const toggle = { name: key, enabled: true, impressionData: false } as const;
  if (kind === 'boolean')
    return value === true
      ? { ...toggle, variant: { name: noVariant, enabled: false, feature_enabled: true } }
      : undefined;
  if (variant === noVariant) return undefined;
  const enabled = reason !== 'OFF' && reason !== 'PREREQUISITE_FAILED';
  const payload = payloadOf(value, kind);
  return { ...toggle, enabled, variant: { name: variant, enabled: true, feature_enabled: enabled, payload } };
}

export function payloadOf(value: Evaluation['value'], kind: Exclude<FlagKind, 'boolean'>): Payload {
  if (typeof value === 'string' && kind === 'string') return { type: 'string', value };
  return { type: kind === 'number' ? 'number' : 'json', value: JSON.stringify(value) };
}
