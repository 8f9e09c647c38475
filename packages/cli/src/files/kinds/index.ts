import type { Kind } from '../kind.ts';
import { alertRules } from './alert-rules.ts';
import { channels } from './channels.ts';
import { dashboards } from './dashboards.ts';
import { experiments } from './experiments.ts';
import { guardedReleases } from './guarded-releases.ts';
import { inhibitionRules } from './inhibition-rules.ts';
import { metrics } from './metrics.ts';
import { recordingRules } from './recording-rules.ts';
import { routingPolicies } from './routing-policies.ts';
import { slos } from './slos.ts';

/** Kinds beside flags and segments, in the order of `kind-folders.ts`. */
export const kinds: readonly Kind[] = [
  channels,
  routingPolicies,
  inhibitionRules,
  recordingRules,
  alertRules,
  slos,
  metrics,
  guardedReleases,
  experiments,
  dashboards,
];
