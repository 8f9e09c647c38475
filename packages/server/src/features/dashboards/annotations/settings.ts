import { count, setting } from '../../../platform/settings.ts';

export const annotationSettings = {
  perWorkspace: setting('FANION_ANNOTATIONS', count(1, 1_000_000).default(100_000), {
    help: 'Annotations that people have written in one workspace',
  }),
};
