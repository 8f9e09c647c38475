import { validateSegment, validateTargeting } from '@fanion/flag-engine';
import { Report } from '../../files/report.ts';
import type { EnvironmentDocument, FlagDocument, SegmentDocument } from '../document.ts';
import type { Conversion } from './conversion.ts';

/**
 * Removes and reports values that the server would reject (a pattern that RE2 does not support, an invalid version or
 * address): otherwise one such value would block the whole flag.
 */
export function withoutRefused({ flags, segments, notes, lostSegments = [] }: Conversion): Required<Conversion> {
  const report = new Report();
  const checked = {
    flags: flags.map((flag) => checkedFlag(flag, report)),
    segments: segments.map((segment) => checkedSegment(segment, report)),
  };
  return { ...checked, notes: [...notes, ...report.notes], lostSegments };
}

/** The server checks whether a segment exists: it need not be in the same file. */
const anySegment = { has: () => true };

function checkedFlag(flag: FlagDocument, report: Report): FlagDocument {
  const variants = flag.variants.map(({ key }) => ({ key, value: null }));
  const environments = Object.entries(flag.environments).map(([key, environment]): [string, EnvironmentDocument] => {
    const where = `flag ${flag.name ?? flag.key}, ${key}`;
    const draft = { ...environment, off_variant: environment.off_variant ?? null };
    const refused = refusedRules(validateTargeting({ variants }, draft, { segments: anySegment }), where, report);
    return [key, { ...environment, rules: environment.rules.filter((_, i) => !refused.has(i)) }];
  });
  return { ...flag, environments: Object.fromEntries(environments) };
}

function checkedSegment(segment: SegmentDocument, report: Report): SegmentDocument {
  const known = { segments: anySegment, graph: new Map() };
  const issues = validateSegment(segment.key, segment, known);
  const refused = refusedRules(issues, `segment ${segment.name ?? segment.key}`, report);
  return { ...segment, rules: segment.rules.filter((_, i) => !refused.has(i)) };
}

/** The indexes of rules with an error; the server reports errors elsewhere. */
function refusedRules(
  issues: readonly { readonly path: string; readonly message: string }[],
  where: string,
  report: Report,
): ReadonlySet<number> {
  const refused = new Set<number>();
  for (const { path, message } of issues) {
    const place = /^rules\.(\d+)\./.exec(path)?.[1];
    if (place === undefined || refused.has(Number(place))) continue;
    refused.add(Number(place));
    report.lost(`${where}, rule ${Number(place) + 1} here`, `a value ${message}; the rule is not imported`);
  }
  return refused;
}
