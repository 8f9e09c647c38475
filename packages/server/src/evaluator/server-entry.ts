import { lowerPriority } from '@fanion/embedded';
import { serve } from '../main.ts';

/** Steps of `nice` below the evaluator, so that an evaluation need not wait for what the server does. */
const belowEvaluator = 5;

try {
  lowerPriority(belowEvaluator);
} catch {
  // A sandbox may forbid it. The server works all the same, and evaluations wait for it a little longer.
}
process.exitCode = await serve(process);
// The channel would keep the process alive.
process.disconnect?.();
