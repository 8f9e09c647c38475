/** What a workspace has sent so far. */
export interface FieldCatalogue {
  readonly fields: readonly CatalogueField[];
  /** There may be more: every place that may contain a value is read, and nothing counts as never sent. */
  readonly partial?: boolean;
  /** Absent if the metrics are unknown. A metric of several kinds has one entry for each. */
  readonly metrics?: readonly CatalogueMetric[];
}

/** All kinds and temporalities of the metrics that a query reads. */
export interface KnownMetrics {
  readonly metrics: readonly CatalogueMetric[];
  /**
   * Assume that no point is stored twice, and that histograms of one group have the same bounds and sums, which is cheaper to ask. Where that is not so, the statement fails with `FAILED_ASSUMPTION.alike`.
   */
  readonly alike?: boolean;
  /**
   * Have the statement fail with `FAILED_ASSUMPTION.kind` where a series is of another kind than these, if it looks its series up
   * anyway: see `Compiled.checksKinds`.
   */
  readonly checked?: boolean;
  /**
   * Whether points may be integers beyond 2^53: then aggregates and differences of them are computed in integers. If false, the statement
   * fails with `FAILED_ASSUMPTION.integers` where there are such points, or a sum is beyond 2^53. Absent: not known, computed in floats.
   */
  readonly integers?: boolean;
  /** Read roll-ups instead of points where they contain all points: those of which metrics, and when. */
  readonly rollUps?: readonly MetricRollUps[];
}

/** When the roll-ups of a metric contain everything that is stored, in all projects and environments of the scope. */
export interface MetricRollUps {
  readonly metric: string;
  /** Half-open, of whole hours since the epoch, ascending and apart. */
  readonly hours: readonly (readonly [from: number, to: number])[];
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
  /** The temporality of some of its series of this kind. */
  readonly temporality?: 'unspecified' | 'delta' | 'cumulative';
  readonly kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary';
  /** Whether some of its series have the label `le`, as the buckets of Prometheus' classic histograms do; absent: not known. */
  readonly classic?: boolean;
}

/** A {@link FieldCatalogue}, indexed by name. */
export interface Catalogue {
  find(signal: string, scope: CatalogueField['scope'], name: string): CatalogueField | undefined;
  names(signal: string): readonly string[];
  readonly metrics: readonly CatalogueMetric[] | undefined;
  readonly partial: boolean;
}

type FieldIndex = Pick<Catalogue, 'find' | 'names'>;
const indexed = new WeakMap<FieldCatalogue['fields'], FieldIndex>();

/** Indexes a list of fields once, and reuses the index for every query. */
export function indexCatalogue({ fields, metrics, partial = false }: FieldCatalogue): Catalogue {
  const known = indexed.get(fields) ?? indexFields(fields);
  indexed.set(fields, known);
  return { ...known, metrics, partial };
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
