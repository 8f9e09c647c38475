import type { Difference } from '@fanion/contract';
import type { Change } from './input.ts';

interface FlagChangeRow {
  readonly at: Date;
  readonly kind: string;
  readonly diff: unknown;
  readonly flag: string;
}

/** A change of a flag, as candidates take it. */
export function changeOf({ at, kind, diff, flag }: FlagChangeRow): Change {
  return { kind: 'flag', flag, detail: detailOf(kind, diff as readonly Difference[]), atMs: at.getTime() };
}

/** What a change did to a flag, after "flag → ": "off", "true", "10 % true", or what kind of change it was. */
export function detailOf(kind: string, diff: readonly Difference[]): string {
  const enabled = diff.find(({ path }) => path === 'enabled')?.after;
  if (enabled === false) return 'off';
  const served = servedAfter(diff);
  if (served !== undefined) return served;
  if (enabled === true) return 'on';
  return diff.some(({ path }) => /^(rules|targets)\b/.test(path)) ? 'new rules' : kind.replaceAll('_', ' ');
}

interface Weighted {
  readonly variant: string;
  /** Of 100000. */
  readonly weight: number;
}

function servedAfter(diff: readonly Difference[]): string | undefined {
  const variant = diff.find(({ path }) => path === 'fallthrough.variant')?.after;
  if (typeof variant === 'string') return `100 % ${variant}`;
  const shares = new Map<string, number>();
  for (const { variant: name, weight } of diff.flatMap(weightsAfter))
    if (weight > 0) shares.set(name, (shares.get(name) ?? 0) + weight);
  if (shares.size === 0) return undefined;
  return [...shares].map(([name, weight]) => `${weight / 1000} % ${name}`).join(', ');
}

/** Weights that a difference sets: of a new rollout, of all of its variants, of one, or the number alone. */
function weightsAfter({ path, after }: Difference): readonly Weighted[] {
  if (after === undefined || after === null) return [];
  if (path === 'fallthrough') return (after as { rollout?: { weights?: Weighted[] } }).rollout?.weights ?? [];
  if (path === 'fallthrough.rollout') return (after as { weights?: Weighted[] }).weights ?? [];
  if (path === 'fallthrough.rollout.weights') return Array.isArray(after) ? (after as Weighted[]) : [];
  const [, variant, isNumber] = /^fallthrough\.rollout\.weights\.([^.]+)(\.weight)?$/.exec(path) ?? [];
  if (variant === undefined) return [];
  if (isNumber !== undefined) return typeof after === 'number' ? [{ variant, weight: after }] : [];
  return [after as Weighted];
}
