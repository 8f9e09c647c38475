import { same } from '../../files/differences.ts';
import type { Note, Report } from '../../files/report.ts';
import type { FlagSet } from '../document.ts';
import type { Converter } from './conversion.ts';
import { convertFlagd } from './flagd.ts';
import { convertGrowthBook } from './growthbook.ts';
import { convertLaunchDarkly } from './launchdarkly.ts';
import { withoutLostSegments } from './lost-segments.ts';
import { withoutRefused } from './refused.ts';
import { convertUnleash } from './unleash.ts';

/** Converters by product name on the command line. */
export const converters: Readonly<Record<string, Converter>> = {
  launchdarkly: convertLaunchDarkly,
  unleash: convertUnleash,
  flagd: convertFlagd,
  growthbook: convertGrowthBook,
};

/**
 * Merges several files: flags in one and segments in others, or one file for each environment. Two files may describe the
 * same flag in different environments; for the same environment, the first file wins.
 */
export function convertAll(
  converter: Converter,
  files: readonly { readonly name: string; readonly content: unknown }[],
  report: Report,
): FlagSet {
  const flags = new Map<string, FlagSet['flags'][number]>();
  const segments = new Map<string, FlagSet['segments'][number]>();
  const lost = new Set<string>();
  const contents = files.map(({ content }) => content);
  for (const { name, content } of files) {
    const converted = withoutRefused(converter(content, contents));
    for (const note of converted.notes) tell(report, note);
    for (const key of converted.lostSegments) lost.add(key);
    for (const flag of converted.flags) {
      const first = flags.get(flag.key);
      if (first === undefined) {
        flags.set(flag.key, flag);
        continue;
      }
      const { environments: mine, ...common } = flag;
      const { environments: theirs, ...before } = first;
      if (!same(common, before))
        report.lost(`flag ${flag.key}`, `${name} differs from the previous file and is ignored`);
      for (const environment of Object.keys(mine)) {
        if (Object.hasOwn(theirs, environment))
          report.lost(`flag ${flag.key}, ${environment}`, `${name} repeats it and is ignored`);
      }
      flags.set(flag.key, { ...before, environments: { ...mine, ...theirs } });
    }
    for (const segment of converted.segments) {
      const first = segments.get(segment.key);
      if (first === undefined) segments.set(segment.key, segment);
      else if (!same(first, segment)) {
        report.lost(
          `segment ${segment.key}`,
          `${name} differs from the previous file: a segment is the same in all environments here`,
        );
      }
    }
  }
  return withoutLostSegments({ flags: [...flags.values()], segments: [...segments.values()] }, lost, report);
}

function tell(report: Report, { level, where, what }: Note): void {
  if (level === 'lost') report.lost(where, what);
  else report.changed(where, what);
}
