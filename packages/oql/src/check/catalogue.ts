/** What a workspace has sent so far. */
export interface FieldCatalogue {
  readonly fields: readonly CatalogueField[];
  /** Absent where nothing is known of metrics. One of several kinds is there several times. */
  readonly metrics?: readonly CatalogueMetric[];
}

/** All kinds and temporalities of the metrics that a query reads. */
export type KnownMetrics = Required<Pick<FieldCatalogue, 'metrics'>>;

export interface CatalogueField {
  readonly signal: 'logs' | 'spans' | 'metric';
  readonly scope: 'attribute' | 'resource';
  readonly name: string;
  readonly types: readonly AttributeType[];
}

export type AttributeType = 'string' | 'int' | 'float' | 'bool' | 'json';

export interface CatalogueMetric {
  readonly name: string;
  /** Of some of its series of this kind. */
  readonly temporality?: 'unspecified' | 'delta' | 'cumulative';
  readonly kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary';
  /** Whether some of its series have the label `le`, as the buckets of Prometheus' classic histograms do; absent: not known. */
  readonly classic?: boolean;
}

/** The same, by name. */
export interface Catalogue {
  find(signal: string, scope: CatalogueField['scope'], name: string): CatalogueField | undefined;
  names(signal: string): readonly string[];
  readonly metrics: readonly CatalogueMetric[] | undefined;
}

type FieldIndex = Pick<Catalogue, 'find' | 'names'>;
const indexed = new WeakMap<FieldCatalogue['fields'], FieldIndex>();

/** Fields are indexed once, however many queries are checked against them. */
export function indexCatalogue({ fields, metrics }: FieldCatalogue): Catalogue {
  const known = indexed.get(fields) ?? indexFields(fields);
  indexed.set(fields, known);
  return { ...known, metrics };
}

function indexFields(fields: FieldCatalogue['fields']): FieldIndex {
  const byKey = new Map(fields.map((field) => [`${field.signal} ${field.scope} ${field.name}`, field]));
  const names = new Map<string, string[]>();
  for (const field of fields) {
    const list = names.get(field.signal) ?? [];
    list.push(field.scope === 'resource' ? `resource.${field.name}` : field.name);
    if (field.scope === 'resource') list.push(field.name);
    names.set(field.signal, list);
  }
  return {
    find: (signal, scope, name) => byKey.get(`${signal} ${scope} ${name}`),
    names: (signal) => names.get(signal) ?? [],
  };
}
