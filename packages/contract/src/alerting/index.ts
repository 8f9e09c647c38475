import { routesOf } from '../route.ts';
import * as alertInstances from './alert-instances.ts';
import * as alertRules from './alert-rules.ts';
import * as channels from './channels.ts';
import * as explanations from './explanations.ts';
import * as inhibitionRules from './inhibition-rules.ts';
import * as routingPolicies from './routing-policies.ts';
import * as silences from './silences.ts';

export * from './alert-instances.ts';
export * from './alert-rules.ts';
export * from './channels.ts';
export * from './explanations.ts';
export * from './inhibition-rules.ts';
export { Matcher, MatcherInput, MatcherObject } from './matchers.ts';
export { AlertDuration, AlertValue, Annotations, LabelName, Labels, LabelsOutput, LabelValue } from './primitives.ts';
export * from './routing-policies.ts';
export * from './silences.ts';
export {
  alertInstances as alertInstancesRoutes,
  alertRules as alertRulesRoutes,
  channels as channelsRoutes,
  explanations as explanationRoutes,
  inhibitionRules as inhibitionRulesRoutes,
  routingPolicies as routingPoliciesRoutes,
  silences as silencesRoutes,
};

/** The routes of this area, in the order of the API document. */
export const alertingArea = routesOf(
  alertRules,
  alertInstances,
  explanations,
  silences,
  inhibitionRules,
  channels,
  routingPolicies,
);
