import { same } from '../../files/differences.ts';
import { type Fields, fieldsListOf, fieldsOf, numberOf, textOf } from '../../files/fields.ts';
import type { Report } from '../../files/report.ts';
import type { FlagDocument } from '../document.ts';
import { offHere, turnedOff } from './dependencies.ts';
import type { Keys } from './naming.ts';

/** Here a flag has the same prerequisites in all environments: those that it has in every environment of the file. */
export function prerequisitesOf(
  flag: Fields,
  flags: Keys,
  report: Report,
): { readonly prerequisites: FlagDocument['prerequisites']; readonly lostIn: readonly string[] } {
  const where = `flag ${textOf(flag.key)}`;
  const environments = Object.entries(fieldsOf(flag.environments)).map(([key, environment]) => ({
    key,
    list: fieldsListOf(fieldsOf(environment).prerequisites),
  }));
  const all = environments
    .flatMap(({ list }) => list)
    .filter((item, i, list) => list.findIndex((other) => same(item, other)) === i);
  const lostIn = new Set<string>();
  const prerequisites = all.flatMap((prerequisite) => {
    const required = textOf(prerequisite.key) ?? '';
    const holds = ({ list }: { readonly list: readonly Fields[] }) => list.some((item) => same(item, prerequisite));
    const without = environments.filter((environment) => !holds(environment));
    if (without.length > 0) {
      const missing = without.map(({ key }) => key).join(', ');
      const within = environments.filter(holds).map(({ key }) => key);
      for (const key of within) lostIn.add(key);
      report.lost(
        where,
        `the prerequisite ${required} does not hold in ${missing}, and here a flag has the same prerequisites everywhere; it is not imported, and the flag is off in ${within.join(', ')}, which is the safe side`,
      );
      return [];
    }
    // The index of the variation, until the other flag is converted too.
    return [{ flag: flags.of(required), variants: [String(numberOf(prerequisite.variation) ?? 0)] }];
  });
  return { prerequisites, lostIn: [...lostIn] };
}

/** Names the variants of prerequisites, which LaunchDarkly refers to by index. */
export function resolvePrerequisites(flags: readonly FlagDocument[], report: Report): FlagDocument[] {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  return flags.map((flag) => {
    const prerequisites = flag.prerequisites.flatMap((prerequisite) => {
      const variant = byKey.get(prerequisite.flag)?.variants[Number(prerequisite.variants[0])];
      if (variant !== undefined) return [{ flag: prerequisite.flag, variants: [variant.key] }];
      const what = `its prerequisite ${prerequisite.flag} or its variation is not in the file`;
      report.lost(`flag ${flag.key}`, `${what}; ${offHere}`);
      return [];
    });
    const isWhole = prerequisites.length === flag.prerequisites.length;
    return isWhole ? { ...flag, prerequisites } : turnedOff({ ...flag, prerequisites });
  });
}
