import { same } from '../differences.ts';
import type { FlagSet } from '../document.ts';
import type { Converter, Note, Report } from './conversion.ts';
import { convertFlagd } from './flagd.ts';
import { convertGrowthBook } from './growthbook.ts';
import { convertLaunchDarkly } from './launchdarkly.ts';
import { withoutRefused } from './refused.ts';
import { convertUnleash } from './unleash.ts';

/** What can be imported, by the name on the command line. */
export const converters: Readonly<Record<string, Converter>> = {
  launchdarkly: convertLaunchDarkly,
  unleash: convertUnleash,
  flagd: convertFlagd,
  growthbook: convertGrowthBook,
};

/**
 * Several files as one: flags in one and segments in others, or one file for each environment. What two files say of
 * the same flag is put together where it is about different environments, and else the first one counts.
 */
export function convertAll(
  converter: Converter,
  files: readonly { readonly name: string; readonly content: unknown }[],
  report: Report,
): FlagSet {
  const flags = new Map<string, FlagSet['flags'][number]>();
  const segments = new Map<string, FlagSet['segments'][number]>();
  for (const { name, content } of files) {
    const converted = withoutRefused(converter(content));
    for (const note of converted.notes) tell(report, note);
    for (const flag of converted.flags) {
      const first = flags.get(flag.key);
      if (first === undefined) {
        flags.set(flag.key, flag);
        continue;
      }
      const { environments: mine, ...common } = flag;
      const { environments: theirs, ...before } = first;
      if (!same(common, before))
        report.lost(`flag ${flag.key}`, `${name} says something else than the file before it, and is not asked`);
      for (const environment of Object.keys(mine)) {
        if (Object.hasOwn(theirs, environment))
          report.lost(`flag ${flag.key}, ${environment}`, `${name} has it once more, and is not asked`);
      }
      flags.set(flag.key, { ...before, environments: { ...mine, ...theirs } });
    }
    for (const segment of converted.segments) {
      const first = segments.get(segment.key);
      if (first === undefined) segments.set(segment.key, segment);
      else if (!same(first, segment)) {
        report.lost(
          `segment ${segment.key}`,
          `${name} says something else than the file before it: a segment is the same in all environments here`,
        );
      }
    }
  }
  return { flags: [...flags.values()], segments: [...segments.values()] };
}

function tell(report: Report, { level, where, what }: Note): void {
  if (level === 'lost') report.lost(where, what);
  else report.changed(where, what);
}
