import { type Fields, fieldsListOf, numberOf, textOf, textsOf } from '../../files/fields.ts';
import type { EnvironmentDocument, FlagDocument } from '../document.ts';
import { type Kinds, placeOf } from './launchdarkly-clauses.ts';

/**
 * Individual targets in LaunchDarkly's order. With context kinds, `contextTargets` gives the order, and an entry of the
 * kind `user` refers to the users of the same variation.
 */
export function targetsOf(
  environment: Fields,
  variants: FlagDocument['variants'],
  kinds: Kinds,
  where: string,
): EnvironmentDocument['targets'] {
  const { report } = kinds;
  const users = fieldsListOf(environment.targets);
  const ofKinds = fieldsListOf(environment.contextTargets);
  const isUser = ({ contextKind }: Fields) => (textOf(contextKind) ?? 'user') === 'user';
  const ordered = ofKinds.flatMap((target) =>
    isUser(target) ? users.filter(({ variation }) => variation === target.variation) : [target],
  );
  // A list without the kind `user`, as the REST API may return it, comes after the users.
  const asked = ofKinds.some(isUser) ? ordered : [...users, ...ofKinds];
  for (const target of users)
    if (!asked.includes(target) && textsOf(target.values).length > 0)
      report.lost(
        where,
        `the targets of variation ${String(target.variation)} are not in its contextTargets and are ignored`,
      );
  const taken = new Map<string | undefined, Set<string>>();
  return asked.flatMap((target) => {
    const variant = variants[numberOf(target.variation) ?? -1]?.key;
    const listed = textsOf(target.values);
    if (listed.length === 0) return [];
    if (variant === undefined) {
      const keys = listed.slice(0, 5).join(', ');
      report.lost(where, `its targets of the unknown variation ${String(target.variation)} (${keys}) are not imported`);
      return [];
    }
    const { context_kind } = placeOf('key', textOf(target.contextKind), kinds);
    const before = taken.get(context_kind) ?? new Set<string>();
    taken.set(context_kind, before);
    // The first target that lists a key decides.
    const values = [...new Set(listed)].filter((value) => !before.has(value));
    for (const value of values) before.add(value);
    if (values.length === 0) return [];
    return [{ variant, values, ...(context_kind !== undefined && { context_kind }) }];
  });
}
