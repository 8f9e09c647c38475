import type { Ruleset, RulesetPatch } from '@fanion/flag-engine';

/**
 * JSON text of flags and segments, made once per object. They are immutable and taken over from version to version, so
 * that a change of one flag does not write out the segment with a million keys again.
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
