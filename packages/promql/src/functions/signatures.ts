import type { ValueType } from '../ast.ts';

export interface Signature {
  readonly args: readonly ValueType[];
  readonly returns: ValueType;
  /** How many more arguments of the last type there may be; the last one may be left out. */
  readonly variadic: number;
}

/** Of functions that Prometheus 3.14 knows but only enables with a feature flag. */
const EXPERIMENTAL = new Set(
  'double_exponential_smoothing end histogram_quantiles info mad_over_time max_of min_of range sort_by_label sort_by_label_desc start start_timestamp step ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time ts_of_min_over_time'.split(
    ' ',
  ),
);

export function isExperimental(name: string): boolean {
  return EXPERIMENTAL.has(name.toLowerCase());
}

const signatures = new Map<string, Signature>();

function declare(names: string, args: readonly ValueType[], variadic = 0, returns: ValueType = 'vector'): void {
  for (const name of names.split(' ')) signatures.set(name, { args, returns, variadic });
}

declare('abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor ln log10 log2 rad sgn sin', [
  'vector',
]);
declare('sinh sort sort_desc sqrt tan tanh timestamp', ['vector']);
declare('histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar', ['vector']);
declare('days_in_month day_of_month day_of_week day_of_year hour minute month year', ['vector'], 1);
declare('avg_over_time absent_over_time changes count_over_time delta deriv first_over_time idelta increase', [
  'matrix',
]);
declare('irate last_over_time max_over_time min_over_time present_over_time rate resets', ['matrix']);
declare('stddev_over_time stdvar_over_time sum_over_time', ['matrix']);
declare('predict_linear', ['matrix', 'scalar']);
declare('quantile_over_time', ['scalar', 'matrix']);
declare('clamp', ['vector', 'scalar', 'scalar']);
declare('clamp_max clamp_min', ['vector', 'scalar']);
declare('round', ['vector', 'scalar'], 1);
declare('histogram_fraction', ['scalar', 'scalar', 'vector']);
declare('histogram_quantile', ['scalar', 'vector']);
declare('label_replace', ['vector', 'string', 'string', 'string', 'string']);
declare('label_join', ['vector', 'string', 'string', 'string'], Number.POSITIVE_INFINITY);
declare('pi time', [], 0, 'scalar');
declare('scalar', ['vector'], 0, 'scalar');
declare('vector', ['scalar']);

export function signatureOf(name: string): Signature | undefined {
  return signatures.get(name);
}
