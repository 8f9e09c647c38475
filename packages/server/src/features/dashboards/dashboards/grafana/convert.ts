import { createBreath } from '../../../../platform/breath.ts';
import { Failure } from '../../../../platform/fail.ts';
import type { Compiler, PromqlResult } from '../../../../platform/gateway/index.ts';
import { convertedGrafana } from './convert-rules.ts';
import type { PromqlRequest } from './promql-rules.ts';

/** Converts a dashboard of Grafana. Each translation runs in a thread of the compiler, and other requests run in between. */
export async function convertGrafana(
  json: unknown,
  compiler: Pick<Compiler, 'translatePromql'>,
  { maxPanels, ...asked }: { readonly workspace: number; readonly signal: AbortSignal; readonly maxPanels: number },
) {
  /** An expression that takes too long is lost, and not the whole dashboard. */
  async function translated({ text, options }: PromqlRequest): Promise<PromqlResult> {
    try {
      return await compiler.translatePromql(text, options, asked);
    } catch (error) {
      if (error instanceof Failure && error.error === 'QUERY_TOO_EXPENSIVE') return { problem: error.message };
      throw error;
    }
  }

  const breath = createBreath();
  const steps = convertedGrafana(json, maxPanels);
  let answer: PromqlResult | undefined;
  for (;;) {
    const step = steps.next(answer);
    if (step.done) return step.value;
    answer = step.value && (await translated(step.value));
    await breath();
  }
}
