import type { Ruleset } from '@fanion/flag-engine';
import type { Steps } from '../../../platform/steps.ts';
import type { Constraint } from './constraint-rules.ts';
import { type Feature, unleashFeatures } from './convert-rules.ts';

interface Segment {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly Constraint[];
}

/** What Unleash's backend SDKs read. */
export interface UnleashPayload {
  readonly version: 2;
  readonly features: readonly (Omit<Feature, 'strategies'> & { readonly strategies: readonly object[] })[];
  readonly segments: readonly Segment[];
}

/** Lists with more values are written once, as a segment that strategies name. */
const longList = 20;

export function* unleashPayload(ruleset: Ruleset): Steps<UnleashPayload> {
  const segments = new SharedLists();
  const features = yield* unleashFeatures(ruleset);
  return {
    version: 2,
    features: features.map((feature) => withSegments(feature, segments)),
    segments: segments.all,
  };
}

/** A feature whose strategies name their long lists. */
function withSegments(feature: Feature, lists: SharedLists): UnleashPayload['features'][number] {
  const isLong = ({ values }: Constraint) => values.length > longList;
  const strategies = feature.strategies.map((strategy) => ({
    ...strategy,
    constraints: strategy.constraints.filter((one) => !isLong(one)),
    segments: strategy.constraints.filter(isLong).map((one) => lists.idOf(one)),
  }));
  return { ...feature, strategies };
}

class SharedLists {
  readonly all: Segment[] = [];
  readonly #ids = new Map<readonly string[], Map<string, number>>();

  idOf(constraint: Constraint): number {
    const ids = this.#ids.get(constraint.values) ?? new Map<string, number>();
    this.#ids.set(constraint.values, ids);
    const { values: _, ...test } = constraint;
    const name = JSON.stringify(test);
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = this.all.length + 1;
    this.all.push({ id, name: `list-${id}`, constraints: [constraint] });
    ids.set(name, id);
    return id;
  }
}
