import type { Report } from '../../files/report.ts';
import type { FlagDocument } from '../document.ts';

export const offHere = 'off is the safe side, so the flag is imported as off';

/** Turns the flag off in these environments, or in all of them. */
export function turnedOff(flag: FlagDocument, environments: readonly string[] = Object.keys(flag.environments)) {
  return {
    ...flag,
    environments: Object.fromEntries(
      Object.entries(flag.environments).map(([key, environment]) => [
        key,
        environments.includes(key) ? { ...environment, enabled: false } : environment,
      ]),
    ),
  };
}

/**
 * Removes prerequisites on flags that are not imported, or on variants that these do not have. A flag that loses one
 * would be on for users whom the prerequisite excludes, so it is off.
 */
export function withoutMissingParents(flags: readonly FlagDocument[], report: Report): FlagDocument[] {
  const variants = new Map(flags.map((flag) => [flag.key, new Set(flag.variants.map(({ key }) => key))]));
  return flags.map((flag) => {
    const kept = flag.prerequisites.flatMap((required) => {
      const known = variants.get(required.flag);
      // What its parent cannot serve, it need not ask for.
      const served = required.variants.filter((variant) => known?.has(variant));
      if (served.length > 0) return [{ ...required, variants: served }];
      report.lost(`flag ${flag.key}`, `${missing(required.flag, known !== undefined)}; ${offHere}`);
      return [];
    });
    const isWhole = kept.length === flag.prerequisites.length;
    return isWhole ? { ...flag, prerequisites: kept } : turnedOff({ ...flag, prerequisites: kept });
  });
}

function missing(parent: string, isKnown: boolean): string {
  return isKnown
    ? `the variant that its parent ${parent} must serve does not exist`
    : `its parent ${parent} is not in the file or was not imported`;
}
