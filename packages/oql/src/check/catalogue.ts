/** What a workspace has sent so far. */
export interface FieldCatalogue {
  readonly fields: readonly CatalogueField[];
  readonly metrics?: readonly CatalogueMetric[];
}

export interface CatalogueField {
  readonly signal: 'logs' | 'spans' | 'metric';
  readonly scope: 'attribute' | 'resource';
  readonly name: string;
  readonly types: readonly AttributeType[];
}

export type AttributeType = 'string' | 'int' | 'float' | 'bool' | 'json';

export interface CatalogueMetric {
  readonly name: string;
  readonly kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary';
}

/** The same, by name. */
export interface Catalogue {
  find(signal: string, scope: CatalogueField['scope'], name: string): CatalogueField | undefined;
  names(signal: string): readonly string[];
  readonly metrics: readonly CatalogueMetric[];
}

const indexed = new WeakMap<FieldCatalogue, Catalogue>();

/** Indexed once for each catalogue, however many queries are checked against it. */
export function indexCatalogue(catalogue: FieldCatalogue): Catalogue {
  const known = indexed.get(catalogue);
  if (known) return known;
  const byKey = new Map(catalogue.fields.map((field) => [`${field.signal} ${field.scope} ${field.name}`, field]));
  const names = new Map<string, string[]>();
  for (const field of catalogue.fields) {
    const list = names.get(field.signal) ?? [];
    list.push(field.scope === 'resource' ? `resource.${field.name}` : field.name);
    if (field.scope === 'resource') list.push(field.name);
    names.set(field.signal, list);
  }
  const index: Catalogue = {
    find: (signal, scope, name) => byKey.get(`${signal} ${scope} ${name}`),
    names: (signal) => names.get(signal) ?? [],
    metrics: catalogue.metrics ?? [],
  };
  indexed.set(catalogue, index);
  return index;
}
