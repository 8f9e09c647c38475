import { validateSegment, validateTargeting } from '@fanion/flag-engine';
import type { EnvironmentDocument, FlagDocument, SegmentDocument } from '../document.ts';
import { type Conversion, Report } from './conversion.ts';

/**
 * The conversion without what the server would refuse (a pattern that RE2 does not know, a version or an address that is
 * none), each reported: else one such value would keep the whole flag out.
 */
export function withoutRefused({ flags, segments, notes }: Conversion): Conversion {
  const report = new Report();
  const checked = {
    flags: flags.map((flag) => checkedFlag(flag, report)),
    segments: segments.map((segment) => checkedSegment(segment, report)),
  };
  return { ...checked, notes: [...notes, ...report.notes] };
}

/** Whether a segment exists, the server knows: it need not be in the same file. */
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

/** The places of the rules that something is wrong within; what is wrong elsewhere is left for the server to say. */
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
    report.lost(`${where}, rule ${Number(place) + 1} here`, `a value ${message}; the rule is left out`);
  }
  return refused;
}
