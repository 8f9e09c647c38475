import {
  type Issue,
  segmentsNamed,
  validatePrerequisites,
  validateSegment,
  validateTargeting,
  validateVariants,
} from '@fanion/flag-engine';
import { without } from '../files/differences.ts';
import type { FlagDocument, FlagSet } from './document.ts';
import type { RemoteState } from './remote.ts';
import type { Write } from './write.ts';

/** What documents name that does not exist, and changes that a flag cannot make. */
export function missingParts({ flags, segments }: FlagSet, remote: RemoteState): string[] {
  const known = new Set([...remote.segmentKeys, ...segments.map(({ key }) => key)]);
  const problems: string[] = [];
  for (const flag of flags) {
    const there = remote.flags.get(flag.key);
    if (remote.archived.has(flag.key)) problems.push(`flag ${flag.key}: it is archived; restore it first`);
    if (there !== undefined && there.document.kind !== flag.kind) {
      problems.push(`flag ${flag.key}: its kind is ${there.document.kind} and cannot become ${flag.kind}`);
    }
    for (const [environment, { rules }] of Object.entries(flag.environments)) {
      if (remote.environments?.includes(environment) === false) {
        problems.push(`flag ${flag.key}: the project has no environment ${environment}`);
      }
      for (const segment of without(segmentsNamed(rules), [...known])) {
        problems.push(`flag ${flag.key}, ${environment}: there is no segment ${segment}`);
      }
    }
  }
  for (const { key, rules } of segments) {
    for (const other of without(segmentsNamed(rules), [...known])) {
      problems.push(`segment ${key}: there is no segment ${other}`);
    }
  }
  return problems;
}

/** Writes that the server would reject, by the server's own rules: sums, cycles, values of another kind, limits. */
export function refusedWrites(writes: readonly Write[], desired: FlagSet, remote: RemoteState): string[] {
  const flags = new Map([...remote.flags].map(([key, { document }]) => [key, document]));
  for (const flag of desired.flags) flags.set(flag.key, flag);
  const segments = new Map([...remote.segments].map(([key, { document }]) => [key, document]));
  for (const segment of desired.segments) segments.set(segment.key, segment);
  const requires = new Map([...flags].map(([key, flag]) => [key, flag.prerequisites.map((each) => each.flag)]));
  const names = new Map([...segments].map(([key, { rules }]) => [key, segmentsNamed(rules)]));

  /** A flag of the project that was not read counts as having any variant; the server checks. */
  const variantsFor = ({ prerequisites }: Pick<FlagDocument, 'prerequisites'>) => {
    const known = new Map([...flags].map(([key, { variants }]) => [key, variants]));
    for (const { flag, variants } of prerequisites) {
      if (known.has(flag) || !remote.flagKeys.has(flag)) continue;
      known.set(
        flag,
        variants.map((key) => ({ key, value: null })),
      );
    }
    return known;
  };
  const at = (where: string, issues: readonly Issue[]) =>
    issues.map(({ path, message }) => `${where}: ${path}: ${message}`);
  const variantsOf = (where: string, flag: FlagDocument) => at(where, validateVariants(flag as Checked));

  return writes.flatMap(refused);

  function refused(write: Write): string[] {
    switch (write.kind) {
      case 'create_flag':
        return variantsOf(`flag ${write.flag.key}`, write.flag);
      case 'update_flag': {
        const flag = flags.get(write.key);
        return flag === undefined ? [] : variantsOf(`flag ${write.key}`, { ...flag, ...write.patch });
      }
      case 'set_targeting': {
        const { key, environment, targeting } = write;
        const flag = { variants: (flags.get(key)?.variants ?? []) as Checked['variants'] };
        const known = { segments: { has: () => true } };
        return at(`flag ${key}, ${environment}`, validateTargeting(flag, targeting, known));
      }
      case 'set_prerequisites': {
        const { key, prerequisites } = write;
        const variants = variantsFor(write) as ReadonlyMap<string, Checked['variants']>;
        return at(`flag ${key}`, validatePrerequisites(key, prerequisites, variants, requires));
      }
      case 'create_segment':
      case 'update_segment': {
        const { key } = write.segment;
        const known = { segments: { has: () => true }, graph: names };
        return at(`segment ${key}`, validateSegment(key, write.segment, known));
      }
      case 'archive_flag':
      case 'remove_segment':
        return [];
    }
  }
}

/** The values of documents come from JSON or YAML. */
type Checked = Parameters<typeof validateVariants>[0];
