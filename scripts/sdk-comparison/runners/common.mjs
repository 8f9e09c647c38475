import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const nothing = 255;
const [directory] = process.argv.slice(2);

/** What a program compares: `place.ts` wrote it. */
export const { settings, flags, contexts } = JSON.parse(readFileSync(join(directory, 'place.json'), 'utf8'));
const answers = readFileSync(join(directory, 'answers.bin'));

/** What every default is. SDKs return it where they have no value. */
export const fallback = '__default__';

export const silent = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };

const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

/**
 * Compares values of the SDK with those of OFREP.
 *
 * @param evaluatorOf returns, for a context, a function from a flag to its value; undefined is the caller's default
 * @param options `local`: the SDK evaluates itself, so flags with reasons must be absent; `without`: what it returns where there is no
 * value, if it has no default of the caller
 */
export async function compare(
  evaluatorOf,
  { local, most = local ? contexts.length : settings.asked, without = () => undefined },
) {
  const result = { contexts: Math.min(most, contexts.length), evaluations: 0, listed: 0, differences: 0, examples: [] };
  for (let i = 0; i < result.contexts; i++) {
    const context = contexts[i];
    const evaluate = await evaluatorOf(context);
    for (const [j, flag] of flags.entries()) {
      const isListed = local && flag.reasons.length > 0;
      if (isListed && i >= settings.listedContexts) continue;
      const answer = isListed ? nothing : answers[i * flags.length + j];
      const wanted = answer === nothing ? without(flag) : flag.values[answer];
      const given = await evaluate(flag);
      result.evaluations++;
      if (isListed) result.listed++;
      if (given === wanted || isDeepStrictEqual(given, wanted)) continue;
      result.differences++;
      const isNew = result.examples.every((example) => example.flag !== flag.key);
      if (isNew && result.examples.length < 20)
        result.examples.push({ flag: flag.key, isListed, wanted, given, context });
    }
  }
  print(result);
}

/** Reports each new value of the flag that changes, until the last. */
export async function watch(read) {
  let last;
  print({ watching: true });
  while (last !== settings.last) {
    const value = await read();
    if (value !== undefined && value !== last) print({ seen: value, at: Date.now() });
    if (value !== undefined) last = value;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  process.exit(0);
}

/** The user of a context, and its organization, as LaunchDarkly's. */
export function launchDarklyContext({ targetingKey, organization, ...attributes }) {
  const user = { ...attributes, key: targetingKey };
  return organization === undefined ? { kind: 'user', ...user } : { kind: 'multi', user, organization };
}

export const changing = { key: settings.changing, kind: 'string' };
