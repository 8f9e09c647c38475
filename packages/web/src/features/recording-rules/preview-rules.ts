import type { previewRecordingRule, RouteResponse } from '@fanion/contract';

export type PreviewedStep = RouteResponse<typeof previewRecordingRule>['steps'][number];

/** The latest step that is complete, or the one after it where only that one has series. */
export function shownStep(steps: readonly PreviewedStep[]): PreviewedStep | undefined {
  const complete = steps.find((step) => step.complete);
  return complete?.series === 0 ? (steps.find(({ series }) => series > 0) ?? complete) : (complete ?? steps[0]);
}
