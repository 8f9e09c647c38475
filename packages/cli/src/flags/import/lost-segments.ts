import type { Report } from '../../files/report.ts';
import type { EnvironmentDocument, FlagDocument, FlagSet, SegmentDocument } from '../document.ts';
import { offHere, turnedOff } from './dependencies.ts';

type Rules = readonly { readonly clauses: readonly { readonly op: string; readonly values: readonly unknown[] }[] }[];

/**
 * Removes what refers to segments that are not imported, because their members are not in the file. Without such a rule
 * its members would get what the rules below serve, so the flag is off where it had one.
 *
 * @param lost keys of the segments
 */
export function withoutLostSegments({ flags, segments }: FlagSet, lost: ReadonlySet<string>, report: Report): FlagSet {
  if (lost.size === 0) return { flags, segments };
  const gone = new Set(lost);
  const kept = keptSegments(segments, gone, report);
  return { flags: flags.map((flag) => keptFlag(flag, gone, report)), segments: kept };
}

/** Segments may refer to each other; one that refers to a missing one would have other members. */
function keptSegments(segments: readonly SegmentDocument[], gone: Set<string>, report: Report): SegmentDocument[] {
  let kept = [...segments];
  for (let before = -1; before !== kept.length; ) {
    before = kept.length;
    kept = kept.filter((segment) => {
      const missing = referredTo(segment.rules, gone);
      if (missing === undefined) return true;
      gone.add(segment.key);
      report.lost(`segment ${segment.key}`, `it refers to the segment ${missing}, so it is not imported either`);
      return false;
    });
  }
  return kept;
}

function keptFlag(flag: FlagDocument, gone: ReadonlySet<string>, report: Report): FlagDocument {
  const off: string[] = [];
  const environments = Object.entries(flag.environments).map(([key, environment]): [string, EnvironmentDocument] => {
    const rules = environment.rules.filter((rule, i) => {
      const missing = referredTo([rule], gone);
      if (missing === undefined) return true;
      const where = `flag ${flag.key}, ${key}, rule ${i + 1} here`;
      report.lost(where, `the segment ${missing} is not imported, so the rule is not either; ${offHere}`);
      return false;
    });
    if (rules.length < environment.rules.length) off.push(key);
    return [key, { ...environment, rules }];
  });
  return turnedOff({ ...flag, environments: Object.fromEntries(environments) }, off);
}

/** The first of these segments that a rule refers to. */
function referredTo(rules: Rules, gone: ReadonlySet<string>): string | undefined {
  return rules
    .flatMap(({ clauses }) => clauses)
    .flatMap(({ op, values }) => (op === 'in_segment' ? values.map(String) : []))
    .find((key) => gone.has(key));
}
