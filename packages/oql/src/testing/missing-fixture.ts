import { FIXTURE_TABLES, type LogRow, type SpanRow } from './fixture.ts';
import { type FixtureTable, NEIGHBOURS, rows, START, TENANT, type Tenant } from './world.ts';

/** Values of each type, including empty ones, and rows without a value: a missing value must not be treated as empty. */
export interface Row {
  /** `text`: a string, empty or missing. */
  readonly text: string | undefined;
  /** `mixed`: of any type, or missing. */
  readonly mixed: string | bigint | number | boolean | readonly unknown[] | undefined;
  /** `where`: an attribute, and a resource attribute of the same name. */
  readonly own: string | undefined;
  readonly resource: string | undefined;
  readonly weight: number;
}

const TEXTS = ['x', '', undefined] as const;
const MIXED = ['v', '', 5n, 0n, 1.5, 0, true, false, [1], undefined] as const;
const OWN = ['o', '', undefined] as const;
const RESOURCE = ['r', '', undefined] as const;

/** Every combination, repeated one to four times, so that counts distinguish groups. */
export const ROWS: readonly Row[] = TEXTS.flatMap((text, t) =>
  MIXED.flatMap((mixed, m) =>
    OWN.flatMap((own, o) =>
      RESOURCE.flatMap((resource, r) =>
        Array.from({ length: 1 + ((t + 2 * m + 3 * o + 5 * r) % 4) }, (_, i) => ({
          text,
          mixed,
          own,
          resource,
          weight: i + 1 + r,
        })),
      ),
    ),
  ),
);

/** An attribute name with a zero byte. Every row with a `text` also has this attribute, with the same value. */
export const ODD_NAME = 'o\0dd';

const given = <T>(name: string, value: T | undefined): Readonly<Record<string, T>> =>
  value === undefined ? {} : { [name]: value };

function attributesOf({ text, mixed, own, resource }: Row) {
  return {
    strings: {
      ...given('text', text),
      ...given(ODD_NAME, text),
      ...given('where', own),
      ...given('mixed', typeof mixed === 'string' ? mixed : undefined),
    },
    ints: given('mixed', typeof mixed === 'bigint' ? Number(mixed) : undefined),
    floats: given('mixed', typeof mixed === 'number' ? mixed : undefined),
    bools: given('mixed', typeof mixed === 'boolean' ? mixed : undefined),
    jsons: given('mixed', Array.isArray(mixed) ? JSON.stringify(mixed) : undefined),
    resource: { 'service.name': 'shop', ...given('where', resource) },
  };
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

function spanOf(row: Row, at: number, tenant: Tenant): SpanRow {
  return {
    ...tenant,
    ...attributesOf(row),
    time: START + BigInt(at) * 1_000_000_000n,
    duration: at,
    trace_id: hex(at + 1, 32),
    span_id: hex(at + 1, 16),
    parent_span_id: '',
    service: 'shop',
    name: 'GET /',
    kind: 'server',
    status: 'ok',
    weight: row.weight,
    events: [],
    link: null,
  };
}

function logOf(row: Row, at: number, tenant: Tenant): LogRow {
  const { strings, ints, resource } = attributesOf(row);
  return {
    ...tenant,
    ...{ strings, ints, resource },
    time: START + BigInt(at) * 1_000_000_000n,
    trace_id: '',
    span_id: '',
    severity: 9,
    service: 'shop',
    body: 'hello',
  };
}

const of = <T>(make: (row: Row, at: number, tenant: Tenant) => T) =>
  [TENANT, ...NEIGHBOURS].flatMap((tenant) => ROWS.map((row, at) => make(row, at, tenant)));
const [spans, logs] = FIXTURE_TABLES;

/** The tables of the other fixture with these rows in them. */
export const MISSING_TABLES: readonly FixtureTable[] = [
  { insert: spans?.insert ?? '', rows: rows(of(spanOf).map((span) => ({ ...span, link: ['', ''] }))) },
  { insert: logs?.insert ?? '', rows: rows(of(logOf)) },
];
