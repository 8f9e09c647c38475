import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCodeDefault } from '@fanion/flag-engine';
import { parse } from 'yaml';
import { engineContext } from '../../packages/server/src/features/flags/launchdarkly/context-rules.ts';
import { importOf, type Outcome, outcome } from './suite.ts';

interface Suite {
  readonly name: string;
  readonly constants?: Parameters;
  readonly parameters?: readonly (Parameters | readonly Parameters[])[];
  readonly sdkData: { readonly flags?: Record<string, object>; readonly segments?: Record<string, object> };
  readonly evaluations: readonly {
    readonly name: string;
    readonly flagKey: string;
    readonly context?: unknown;
    readonly valueType?: 'bool' | 'int' | 'double' | 'string' | 'any';
    /** Without one, the harness asks for a boolean. */
    readonly default?: unknown;
    readonly expect: { readonly value: unknown };
  }[];
}
type Parameters = Readonly<Record<string, unknown>>;

/** `data/data-files/server-side-eval/*.yml` of LaunchDarkly's sdk-test-harness (Apache-2.0). */
export function launchDarklyOutcomes(folder: string): Outcome[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yml'))
    .flatMap((name) => expanded(parse(readFileSync(join(folder, name), 'utf8'), { merge: true })).flatMap(outcomesOf));
}

function outcomesOf({ name, sdkData, evaluations }: Suite): Outcome[] {
  const keyed = (all: Record<string, object> = {}) =>
    Object.fromEntries(Object.entries(all).map(([key, one]) => [key, { key, version: 1, salt: '', ...one }]));
  const imported = importOf('launchdarkly', { flags: keyed(sdkData.flags), segments: keyed(sdkData.segments) });
  return evaluations.map((one) => {
    const evaluation = imported.evaluate(one.flagKey, engineContext(one.context));
    const isServed =
      evaluation.error === undefined && !isCodeDefault(evaluation) && isOfType(one.valueType, evaluation.value);
    const value = isServed ? evaluation.value : (one.default ?? false);
    return outcome(`${name}: ${one.name}`, one.expect.value ?? null, value ?? null, imported.notesOf(one.flagKey));
  });
}

/** SDKs return the default instead of a value of another type. */
function isOfType(type: string | undefined, value: unknown): boolean {
  if (type === undefined || type === 'any') return true;
  return typeof value === (type === 'bool' ? 'boolean' : type === 'string' ? 'string' : 'number');
}

/** One suite for each set of parameters, with all constants replaced. */
function expanded(suite: Suite): Suite[] {
  const { constants = {}, parameters = [{}] } = suite;
  const sets = parameters.some(Array.isArray)
    ? (parameters as readonly Parameters[][]).reduce<Parameters[]>(
        (all, list) => all.flatMap((one) => list.map((more) => ({ ...one, ...more }))),
        [{}],
      )
    : (parameters as readonly Parameters[]);
  return sets.map((set) => replaced(replaced(suite, set), replaced(constants, set) as Parameters) as Suite);
}

function replaced(value: unknown, by: Parameters): unknown {
  if (typeof value === 'string') {
    const [, whole = ''] = /^<(\w+)>$/.exec(value) ?? [];
    if (Object.hasOwn(by, whole)) return by[whole];
    return value.replace(/<(\w+)>/g, (text, name) => {
      const found = by[name];
      return found === undefined ? text : typeof found === 'string' ? found : JSON.stringify(found);
    });
  }
  if (Array.isArray(value)) return value.map((one) => replaced(one, by));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [replaced(key, by), replaced(one, by)]));
  return value;
}
