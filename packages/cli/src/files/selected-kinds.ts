import { UsageError } from './connect.ts';
import type { Kind } from './kind.ts';
import { folders } from './kind-folders.ts';
import { kinds } from './kinds/index.ts';

/** The kinds that `--kinds` names. Flags and segments depend on each other, so they go together. */
export interface Selection {
  readonly flags: boolean;
  readonly kinds: readonly Kind[];
  /** Whether the user named them. */
  readonly isExplicit: boolean;
}

/** @throws UsageError */
export function selectKinds(option: string | undefined): Selection {
  if (option === undefined) return { flags: true, kinds, isExplicit: false };
  const names = new Set(option.split(',').map((name) => name.trim()));
  const [unknown] = [...names].filter((name) => !folders.includes(name));
  if (unknown !== undefined) throw new UsageError(`--kinds has the unknown kind ${unknown}: use ${folders.join(', ')}`);
  return {
    flags: names.has('flags') || names.has('segments'),
    kinds: kinds.filter(({ folder }) => names.has(folder)),
    isExplicit: true,
  };
}
