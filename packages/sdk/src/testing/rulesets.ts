import type { Flag, Ruleset } from '@fanion/flag-engine';

/** A boolean flag that serves `value` to everybody. */
export function booleanFlag(key: string, value: boolean, version = 1): Flag {
  return {
    key,
    kind: 'boolean',
    version,
    enabled: true,
    variants: [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ],
    off_variant: 'false',
    fallthrough: { variant: String(value) },
    targets: [],
    rules: [],
    salt: `${key}-salt`,
    prerequisites: [],
  };
}

export function rulesetOf(version: number, ...flags: Flag[]): Ruleset {
  return {
    version,
    environment: 'production',
    project: 'shop',
    flags: Object.fromEntries(flags.map((flag) => [flag.key, flag])),
    segments: {},
  };
}
