import { createBreath } from '../../../../platform/breath.ts';
import { convertedGrafana } from './convert-rules.ts';

/** Converts a dashboard of Grafana. Other requests run in between. */
export async function convertGrafana(json: unknown, maxPanels: number) {
  const breath = createBreath();
  const steps = convertedGrafana(json, maxPanels);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await breath();
  }
}
