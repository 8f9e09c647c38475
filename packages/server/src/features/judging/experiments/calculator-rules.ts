import { fixedPower, plan, sequentialPower } from '@fanion/stats';

export interface CalculatorInput {
  readonly isShare: boolean;
  readonly baseline: number;
  /** Of a unit. For a share it follows from the baseline. */
  readonly stddev: number | undefined;
  readonly effect: number;
  readonly alpha: number;
  readonly power: number;
  readonly arms: number;
  readonly daily: number | undefined;
  /** Which of both plans is the answer; the other one stands beside it. */
  readonly sequential: boolean;
}

/** Points of the chart of power by day. */
const chartDays = 30;

/** Why a calculation is impossible. */
export function refusalOf({ isShare, baseline, stddev, effect, alpha, power }: CalculatorInput): string | undefined {
  if (isShare && (baseline <= 0 || baseline >= 1)) return 'baseline: a share must be between 0 and 1';
  if (isShare && (baseline * (1 + effect) <= 0 || baseline * (1 + effect) >= 1))
    return 'effect: it takes the share out of the range from 0 to 1';
  if (baseline === 0) return 'baseline: a relative effect of 0 cannot be found';
  if (effect === 0) return 'effect: must not be 0';
  if (!isShare && (stddev === undefined || stddev === 0))
    return 'stddev: is needed for this kind of metric: the standard deviation of a unit';
  if (power <= alpha) return 'power: must be above alpha';
  return undefined;
}

/** Undefined: more units would be needed than can be stated. */
export function calculate(input: CalculatorInput) {
  const { isShare, baseline, stddev = 0, effect, alpha, power, arms, daily, sequential } = input;
  const armOf = (mean: number) => ({ mean, variance: isShare ? mean * (1 - mean) : stddev * stddev });
  const control = armOf(baseline);
  const treatment = armOf(baseline * (1 + effect));
  const planned = plan({ control, treatment, alpha, power, arms, daily });
  if (planned === undefined) return undefined;
  const told = ({ perArm, total, days }: typeof planned.fixed) => ({ per_arm: perArm, total, days: days ?? null });
  const difference = Math.abs(treatment.mean - control.mean);
  const share = alpha / (arms - 1);
  const days = daily === undefined || daily === 0 ? 0 : Math.min(chartDays, (planned.sequential.days ?? 0) + 2);
  return {
    ...told(sequential ? planned.sequential : planned.fixed),
    fixed: told(planned.fixed),
    sequential: told(planned.sequential),
    baseline,
    stddev: Math.sqrt(control.variance),
    effect,
    daily: daily ?? null,
    power_at_days: Array.from({ length: days }, (_, i) => {
      const perArm = ((daily ?? 0) * (i + 1)) / arms;
      const error = Math.sqrt((control.variance + treatment.variance) / perArm);
      return {
        days: i + 1,
        fixed: fixedPower(difference, error, share),
        sequential: sequentialPower(difference, error, 2 * perArm, share),
      };
    }),
  };
}
