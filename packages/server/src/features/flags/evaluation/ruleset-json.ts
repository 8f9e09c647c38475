import type { Ruleset, RulesetPatch, Segment } from '@fanion/flag-engine';

/**
 * JSON text of flags and segments, made once per object. They are immutable and shared between versions, so that a
 * change of one flag does not serialize a segment with a million keys again.
 */
const texts = new WeakMap<object, string>();

function textOf(item: object): string {
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(item);
  texts.set(item, text);
  return text;
}

export function rulesetJson({ version, environment, project, flags, segments }: Ruleset): string {
  const head = `{"version":${version},"environment":${JSON.stringify(environment)},"project":${JSON.stringify(project)}`;
  return `${head},"flags":${membersJson(flags)},"segments":${membersJson(segments)}}`;
}

export function patchJson({ version, flags = {}, segments = {} }: RulesetPatch): string {
  return `{"version":${version},"flags":${membersJson(flags)},"segments":${membersJson(segments)}}`;
}

function membersJson(items: Readonly<Record<string, object | null>>): string {
  const members = Object.entries(items).map(
    ([key, item]) => `${JSON.stringify(key)}:${item === null ? 'null' : textOf(item)}`,
  );
  return `{${members.join(',')}}`;
}

/** Keys of a list that are serialized at once: some milliseconds of work. */
const keysAtOnce = 20_000;

/**
 * The text of a ruleset in pieces, each of which is quick to create, so that evaluations can run in between. For
 * rulesets whose segments are too large to be cached as text.
 */
export function* rulesetPieces({ version, environment, project, flags, segments }: Ruleset): Generator<string> {
  const head = `{"version":${version},"environment":${JSON.stringify(environment)},"project":${JSON.stringify(project)}`;
  yield `${head},"flags":${membersJson(flags)},"segments":{`;
  let comma = '';
  for (const [key, segment] of Object.entries(segments)) {
    yield `${comma}${JSON.stringify(key)}:`;
    comma = ',';
    const { included, excluded, ...rest } = segment;
    if (keysOf(segment) <= keysAtOnce) {
      yield textOf(segment);
      continue;
    }
    yield `${JSON.stringify(rest).slice(0, -1)},"included":[`;
    yield* listPieces(included);
    yield '],"excluded":[';
    yield* listPieces(excluded);
    yield ']}';
  }
  yield '}}';
}

function* listPieces(keys: readonly string[]): Generator<string> {
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const text = JSON.stringify(keys.slice(from, from + keysAtOnce)).slice(1, -1);
    yield from === 0 ? text : `,${text}`;
  }
}

/** Whether the text is surely longer, without serializing it: each key of a segment takes at least four characters. */
export function surelyLonger({ segments = {} }: Pick<RulesetPatch, 'segments'>, characters: number): boolean {
  let least = 0;
  for (const segment of Object.values(segments)) least += segment === null ? 0 : keysOf(segment) * 4;
  return least > characters;
}

function keysOf({ included, excluded }: Segment): number {
  return included.length + excluded.length;
}
