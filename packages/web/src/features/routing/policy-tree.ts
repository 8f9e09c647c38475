import type { Match, Policy } from './queries.ts';

/** A policy with those below it, in their order. */
export interface PolicyNode {
  readonly policy: Policy;
  readonly children: readonly PolicyNode[];
}

/** The tree below the root; undefined if there is none. */
export function treeOf(policies: readonly Policy[]): PolicyNode | undefined {
  const nodeOf = (policy: Policy): PolicyNode => ({
    policy,
    children: siblingsOf(policies, policy.id).map(nodeOf),
  });
  const root = policies.find(({ parent }) => parent === null);
  return root && nodeOf(root);
}

/** The policies directly below one, in the order in which they are asked. */
export function siblingsOf(policies: readonly Policy[], parent: string | null): Policy[] {
  return policies.filter((policy) => policy.parent === parent && policy.parent !== null);
}

/** The policies that one can be moved below: neither itself nor what is below it. */
export function possibleParents(policies: readonly Policy[], id: string): Policy[] {
  const below = new Set([id]);
  // Parents come before their children.
  for (const policy of policies) if (policy.parent !== null && below.has(policy.parent)) below.add(policy.id);
  return policies.filter((policy) => !below.has(policy.id));
}

/**
 * The positions to write so that a policy moves up (−1) or down (+1) among its siblings. Siblings may share a position,
 * so all get those of their places.
 */
export function movesOf(
  siblings: readonly Policy[],
  id: string,
  by: -1 | 1,
): { readonly policy: Policy; readonly position: number }[] {
  const from = siblings.findIndex((policy) => policy.id === id);
  const ordered = [...siblings];
  const moved = ordered[from];
  const other = ordered[from + by];
  if (moved === undefined || other === undefined) return [];
  ordered[from] = other;
  ordered[from + by] = moved;
  return ordered
    .map((policy, position) => ({ policy, position }))
    .filter(({ policy, position }) => policy.position !== position);
}

/** How a policy takes part in a match. */
export type Part = 'end' | 'path' | 'out';

export function partsOf(matches: readonly Match[]): (id: string) => Part {
  const ends = new Set(matches.map(({ id }) => id));
  const passed = new Set(matches.flatMap(({ path }) => path.map(({ id }) => id)));
  return (id) => (ends.has(id) ? 'end' : passed.has(id) ? 'path' : 'out');
}
