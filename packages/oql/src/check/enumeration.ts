import { type Sql, sql } from '../sql/sql.ts';
import { nearest } from '../text/distance.ts';

type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** A field with named values: a bare name compared with it is one of its members. */
export interface Enumeration {
  readonly name: string;
  readonly members: readonly string[];
  /** The member with this name, in any case; undefined if there is none. */
  member(written: string): string | undefined;
  compare(operator: Comparison, code: Sql, member: string): Sql;
  text(code: Sql): Sql;
  /** One code for all codes of the same member, to group by. */
  key(code: Sql): Sql;
  /** Whether it can also be compared with numbers, as severities can. */
  readonly numeric: boolean;
}

export function nearestMember(enumeration: Enumeration, written: string): string | undefined {
  return nearest(written, enumeration.members);
}

/** A ClickHouse Enum8 column, so its members compare in the order of the Enum8. */
function enumColumn(name: string, members: Readonly<Record<string, Sql>>): Enumeration {
  const codes = new Map(Object.entries(members));
  return {
    name,
    members: [...codes.keys()],
    numeric: false,
    member: (written) => (codes.has(written.toLowerCase()) ? written.toLowerCase() : undefined),
    compare: (operator, code, member) => comparison(operator, code, codes.get(member) ?? sql`''`),
    text: (code) => sql`toString(${code})`,
    key: (code) => code,
  };
}

function comparison(operator: Comparison, left: Sql, right: Sql): Sql {
  switch (operator) {
    case '==':
      return sql`(${left} = ${right})`;
    case '!=':
      return sql`(${left} != ${right})`;
    case '<':
      return sql`(${left} < ${right})`;
    case '<=':
      return sql`(${left} <= ${right})`;
    case '>':
      return sql`(${left} > ${right})`;
    case '>=':
      return sql`(${left} >= ${right})`;
  }
}

export const SPAN_KIND = enumColumn('kind', {
  unspecified: sql`'unspecified'`,
  internal: sql`'internal'`,
  server: sql`'server'`,
  client: sql`'client'`,
  producer: sql`'producer'`,
  consumer: sql`'consumer'`,
});

export const SPAN_STATUS = enumColumn('status', { unset: sql`'unset'`, ok: sql`'ok'`, error: sql`'error'` });

export const FLAG_SOURCE = enumColumn('source', { server: sql`'server'`, otlp: sql`'otlp'` });

export const METRIC_KIND = enumColumn('kind', {
  gauge: sql`'gauge'`,
  sum: sql`'sum'`,
  histogram: sql`'histogram'`,
  exponential_histogram: sql`'exponential_histogram'`,
  summary: sql`'summary'`,
});

export const TEMPORALITY = enumColumn('temporality', {
  unspecified: sql`'unspecified'`,
  delta: sql`'delta'`,
  cumulative: sql`'cumulative'`,
});

/** First number of each severity; each has four (OpenTelemetry's log data model, "Field: SeverityNumber"). */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ warning: 'warn', err: 'error', critical: 'fatal', crit: 'fatal', panic: 'fatal', emergency: 'fatal' },
  ...{ information: 'info', informational: 'info', notice: 'info', verbose: 'trace' },
};

/** `severity == error` holds for the numbers 17 to 20; `severity >= error` for 17 and above. */
export const SEVERITY: Enumeration = {
  name: 'severity',
  members: ['unspecified', ...Object.keys(SEVERITIES)],
  numeric: true,
  member(written) {
    const lower = written.toLowerCase();
    const name = OTHER_NAMES[lower] ?? lower;
    return name === 'unspecified' || Object.hasOwn(SEVERITIES, name) ? name : undefined;
  },
  compare(operator, code, member) {
    const first = SEVERITIES[member] ?? 0;
    const next = member === 'unspecified' ? 1 : first + 4;
    switch (operator) {
      case '==':
        return sql`(${code} >= ${first} AND ${code} < ${next})`;
      case '!=':
        return sql`(${code} < ${first} OR ${code} >= ${next})`;
      case '<':
        return sql`(${code} < ${first})`;
      case '<=':
        return sql`(${code} < ${next})`;
      case '>':
        return sql`(${code} >= ${next})`;
      case '>=':
        return sql`(${code} >= ${first})`;
    }
  },
  key: (code) => sql`if(${code} = 0, 0, intDiv(${code} - 1, 4) * 4 + 1)`,
  text: (code) =>
    sql`multiIf(${code} = 0, 'unspecified', ${code} < 5, 'trace', ${code} < 9, 'debug', ${code} < 13, 'info', ${code} < 17, 'warn', ${code} < 21, 'error', 'fatal')`,
};
