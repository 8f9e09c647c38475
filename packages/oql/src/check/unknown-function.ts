import { replaceWith } from '../diagnostics/diagnostic.ts';
import { functionNames } from '../functions/index.ts';
import type { Name } from '../syntax/ast.ts';
import type { Context } from './context.ts';

/** Function names in other languages, and their names in OQL. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...{ dcount: 'count_distinct', uniq: 'count_distinct', countdistinct: 'count_distinct', mean: 'avg', average: 'avg' },
  ...{ strlen: 'length', len: 'length', toupper: 'upper', tolower: 'lower', iff: 'if', iif: 'if', ifnull: 'coalesce' },
  ...{ tostring: 'string', tolong: 'int', toint: 'int', todouble: 'float', tobool: 'bool' },
  ...{
    str: 'string',
    substr: 'substring',
    strcat: 'concat',
    indexof: 'position',
    bin: 'bucket',
    dcountif: 'count_distinct_if',
    ...{ countif: 'count', sumif: 'sum_if', avgif: 'avg_if', minif: 'min_if', maxif: 'max_if' },
    ...{ stdev: 'stddev', stddev_samp: 'stddev', stdevif: 'stddev', var: 'variance', var_samp: 'variance' },
    ...{ stdevp: 'stddev_pop', stddevpop: 'stddev_pop', stddev_over_time: 'stddev_pop', std: 'stddev_pop' },
    ...{ varp: 'variance_pop', var_pop: 'variance_pop', variancep: 'variance_pop', stdvar: 'variance_pop' },
    ...{ isempty: 'is_empty', nullif: 'null_if', endswith: 'ends_with', countof: 'count_of' },
    ...{ extract: 'regex_extract', extract_all: 'regex_extract_all', replace_regex: 'regex_replace' },
    ...{
      replace_string: 'replace',
      parse_json: 'json',
      jsonextract: 'json',
      strcat_delim: 'join',
      has_any: 'contains_any',
    },
    ...{
      format_datetime: 'format_time',
      strftime: 'format_time',
      todatetime: 'timestamp',
      totimespan: 'parse_duration',
    },
    ...{ startofday: 'start_of', startofweek: 'start_of', startofmonth: 'start_of', startofyear: 'start_of' },
    ...{ dayofweek: 'weekday', dayofmonth: 'day', hourofday: 'hour', getmonth: 'month', getyear: 'year' },
    ...{ hash_sha256: 'sha256', hash_md5: 'md5', grouparray: 'list', makelist: 'list' },
    ...{ array_index_of: 'array_has', set_has_element: 'array_has', format_timespan: 'format_duration' },
  },
  ...{
    dc: 'count_distinct',
    hour_of_day: 'hour',
    row_number: 'rank',
    interval: 'bucket',
    timeslice: 'bucket',
    time_bucket: 'bucket',
    arg_max: 'argmax',
    arg_min: 'argmin',
    make_set: 'values',
    make_list: 'list',
    cidr: 'in_cidr',
  },
};

export function reportUnknownFunction(name: Name, ctx: Context): void {
  const foreign = FOREIGN[name.text.toLowerCase()];
  const near = foreign ?? ctx.nearest(name.text, functionNames());
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
  const suggestion = near === undefined ? undefined : replaceWith(name, near);
  ctx.error('UNKNOWN_FUNCTION', name, `There is no function \`${name.text}\`.${hint}`, suggestion);
}
