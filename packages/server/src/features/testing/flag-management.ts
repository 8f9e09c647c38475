import type { FeatureDependencies } from '../dependencies.ts';
import type { Feature } from '../feature.ts';
import { announcing, changesFeature, createChanges } from '../flags/changes/index.ts';
import { flagsFeature } from '../flags/flags/index.ts';
import { rampsFeature } from '../flags/ramps/index.ts';
import { segmentsFeature } from '../flags/segments/index.ts';

/** Routes and jobs of everything that changes what flags serve, over a test database. */
export function flagManagement(dependencies: FeatureDependencies) {
  const announce = announcing({ outbox: { wake() {} }, refresh: async () => {}, log: dependencies.log });
  const parts = {
    ...dependencies,
    announce,
    changes: createChanges({ ...dependencies, announce }),
    changeKinds: [...flagsFeature.changeKinds, ...segmentsFeature.changeKinds, ...rampsFeature.changeKinds],
    use: async () => [],
    compatibility: async () => undefined,
  };
  const features: readonly Feature<typeof parts>[] = [flagsFeature, segmentsFeature, changesFeature, rampsFeature];
  return {
    routes: features.flatMap((feature) => feature.routes?.(parts) ?? []),
    jobs: features.flatMap((feature) => feature.jobs?.(parts) ?? []),
  };
}
