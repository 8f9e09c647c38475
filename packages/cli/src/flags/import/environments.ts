import { UsageError } from '../../files/connect.ts';
import type { Report } from '../../files/report.ts';
import type { EnvironmentDocument, FlagDocument } from '../document.ts';

/**
 * Parses `a=b,c=d` into a map from names in the file to environments of the project. `a=` skips one.
 *
 * @returns undefined for another format, or when two names map to the same environment
 */
export function parseEnvironmentMap(option: string | undefined): ReadonlyMap<string, string> | undefined {
  const map = new Map<string, string>();
  for (const pair of option?.split(',') ?? []) {
    const equals = pair.indexOf('=');
    if (equals < 1) return undefined;
    map.set(pair.slice(0, equals).trim(), pair.slice(equals + 1).trim());
  }
  const targets = [...map.values()].filter((target) => target !== '');
  return new Set(targets).size === targets.length ? map : undefined;
}

/** An environment map that names an unknown environment, or leaves nothing to import. */
export class WrongEnvironments extends UsageError {
  override readonly name = 'WrongEnvironments';
}

/**
 * Renames the environments of the file to those of the project. An environment outside the map keeps its name. One that
 * the project does not have is skipped and reported.
 *
 * @param known environments of the project; undefined when no server was asked
 * @throws WrongEnvironments
 */
export function mapEnvironments(
  flags: readonly FlagDocument[],
  map: ReadonlyMap<string, string>,
  known: readonly string[] | undefined,
  report: Report,
): FlagDocument[] {
  refuseWrongNames(flags, map, known);
  return flags.map((flag) => {
    const environments: Record<string, EnvironmentDocument> = {};
    for (const [name, document] of Object.entries(flag.environments)) {
      const target = map.get(name) ?? name;
      if (target === '') report.lost(`environment ${name}`, 'skipped as requested');
      else if (known !== undefined && !known.includes(target)) {
        const hint = `the project has ${known.join(', ')}: choose one with --environment-map ${name}=…`;
        report.lost(`environment ${name}`, `the targeting of this environment is skipped; ${hint}`);
      } else if (Object.hasOwn(environments, target)) {
        report.lost(`environment ${name}`, `skipped, because another environment is already mapped to ${target}`);
      } else environments[target] = document;
    }
    return { ...flag, environments };
  });
}

function refuseWrongNames(
  flags: readonly FlagDocument[],
  map: ReadonlyMap<string, string>,
  known: readonly string[] | undefined,
): void {
  const named = [...new Set(flags.flatMap(({ environments }) => Object.keys(environments)))];
  if (named.length === 0 && map.size === 0) return;
  for (const [theirs, ours] of map) {
    if (!named.includes(theirs))
      throw new WrongEnvironments(`the file has no environment "${theirs}"; it has ${listed(named)}`);
    if (ours !== '' && known !== undefined && !known.includes(ours))
      throw new WrongEnvironments(`the project has no environment "${ours}"; it has ${listed(known)}`);
  }
  if (known === undefined) return;
  const targets = named.map((name) => map.get(name) ?? name);
  if (targets.length > 0 && !targets.some((target) => target === '' || known.includes(target)))
    throw new WrongEnvironments(
      `the project has none of the file's environments (${listed(named)}): map them, as in --environment-map ${named[0]}=${known[0] ?? 'production'}`,
    );
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
}
