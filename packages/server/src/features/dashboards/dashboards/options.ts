import type { DashboardVariable } from '@fanion/contract';
import type { VariableScalar } from '@fanion/oql';
import type { Config } from '../../../config.ts';
import { errorBody } from '../../../http/envelope.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { EncodedRows, type JsonAnswer } from '../../../platform/gateway/index.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import { asFinished } from './as-finished.ts';
import type { DashboardData, VariableRequest } from './data.ts';
import { bindPromql, optionsQuery } from './promql-rules.ts';

/** Values that a variable offers. */
const maxOptions = 1_000;
const maxOptionBytes = 1024 ** 2;

export interface VariableOptions {
  readonly name: string;
  readonly options: readonly VariableScalar[];
  readonly truncated: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly status: number } | null;
}

/** The names that variables of the other types offer. */
export type ListNames = (
  scope: QueryScope,
  type: 'project' | 'environment' | 'flag',
  limit: number,
) => Promise<readonly string[]>;

export type ListOptions = ReturnType<typeof createOptions>;

/** The values that variables offer, in the order of their definitions. */
export function createOptions({
  queries,
  data,
  names,
  limits,
}: {
  readonly queries: Pick<QueryService, 'run'>;
  readonly data: Pick<DashboardData, 'preparedFor' | 'bindFor'>;
  readonly names: ListNames;
  readonly limits: Config['dashboards']['data'];
}) {
  return async function optionsOf(
    scope: QueryScope,
    request: VariableRequest,
    signal: AbortSignal,
    isListed: (definition: DashboardVariable) => boolean = () => true,
  ): Promise<VariableOptions[]> {
    const { asked, bound, stepMs } = data.preparedFor(request);
    const bind = data.bindFor(scope, signal);

    async function listed(definition: DashboardVariable): Promise<Omit<VariableOptions, 'error'>> {
      const { name, type, values = [] } = definition;
      switch (type) {
        case 'text':
          return { name, options: [], truncated: false };
        case 'list':
        case 'interval':
          return { name, options: values, truncated: false };
        case 'project':
        case 'environment':
        case 'flag': {
          const found = await names(scope, type, maxOptions + 1);
          return { name, options: found.slice(0, maxOptions), truncated: found.length > maxOptions };
        }
        case 'query':
          return queryOptions(queries, scope, definition, { bound, bind, asked, stepMs }, signal);
      }
    }

    const found = new Map<string, VariableOptions>();
    const step = async (definition: DashboardVariable): Promise<VariableOptions> => {
      try {
        return { ...(await listed(definition)), error: null };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Failure)) throw error;
        const { code, message, status } = errorBody(error);
        return { name: definition.name, options: [], truncated: false, error: { code, message, status } };
      }
    };
    for await (const options of asFinished(request.definitions.filter(isListed), limits.atOnce, step))
      found.set(options.name, options);
    return request.definitions.flatMap(({ name }) => found.get(name) ?? []);
  };
}

interface Prepared extends Pick<ReturnType<DashboardData['preparedFor']>, 'asked' | 'bound' | 'stepMs'> {
  readonly bind: ReturnType<DashboardData['bindFor']>;
}

/** The values in the first column of a query's answer. */
async function queryOptions(
  queries: Pick<QueryService, 'run'>,
  scope: QueryScope,
  { name, query = '', query_language }: DashboardVariable,
  { bound, bind, asked, stepMs }: Prepared,
  signal: AbortSignal,
): Promise<Omit<VariableOptions, 'error'>> {
  const isPromql = query_language === 'promql';
  const text = isPromql ? bindPromql(optionsQuery(query), bound) : await bind(query, bound);
  if (typeof text !== 'string') throw text;
  const how = isPromql ? ({ query_language, evaluate: 'instant' } as const) : {};
  const input = { query: text, ...how, ...asked, limit: maxOptions };
  const answer = await queries.run(scope, input, signal, { maxAgeMs: stepMs, lane: 'dashboard' });
  const rows = decoded(answer.data.rows);
  if (rows === undefined)
    throw fail('RESULT_TOO_LARGE', {
      what: 'result',
      limit: '1 MiB',
      advice: 'return only the column with the values',
    });
  // Samples come in no order.
  const found = isPromql && answer.data.columns.length > 1 ? rows.toSorted(byFirst) : isPromql ? [] : rows;
  const options = [...new Set(found.map(([first]) => first).filter(isScalar))].filter((value) => value !== '');
  return { name, options, truncated: answer.meta.truncated === true };
}

/** Undefined if they are too many to decode without a pause. */
function decoded(rows: JsonAnswer['rows']): readonly (readonly unknown[])[] | undefined {
  if (!(rows instanceof EncodedRows)) return rows;
  const size = rows.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return size > maxOptionBytes ? undefined : JSON.parse(Buffer.concat(rows.chunks).toString('utf8'));
}

function byFirst([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

function isScalar(value: unknown): value is VariableScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
