import type { listFields, RouteResponse } from '@fanion/contract';
import { fieldPath, withoutField } from '../../telemetry/filters.ts';
import { whereStage } from '../../telemetry/oql.ts';

type Field = RouteResponse<typeof listFields>['fields'][number];

export interface FacetField {
  /** As OQL reads it. */
  name: string;
  types: readonly string[];
}

/** Maximum number of listed values per field. */
const VALUES = 8;
const FIRST = ['severity', 'service.name'];

/**
 * The useful fields: severity and service first, then line attributes, then resource attributes, each by how many
 * lines have it. Fields with only one value are omitted.
 */
export function facetFields(fields: readonly Field[]): FacetField[] {
  const rank = ({ name, scope }: Field) => {
    const first = FIRST.indexOf(name);
    if (scope === 'field' && first !== -1) return first;
    return scope === 'attribute' ? 2 : scope === 'field' ? 3 : 4;
  };
  return fields
    .filter((field) => field.cardinality > 1 || rank(field) < 2)
    .toSorted((a, b) => rank(a) - rank(b) || b.frequency - a.frequency || a.name.localeCompare(b.name))
    .map(({ name, scope, types }) => ({
      name: scope === 'resource' && !name.startsWith('resource.') ? `resource.${name}` : name,
      types,
    }));
}

/** The most frequent values of a field among the lines of a search, without the field's own filter. */
export function facetQuery(field: string, conditions: readonly string[], filters: readonly string[]): string {
  const where = whereStage([...conditions, ...withoutField(filters, field)]);
  return `logs${where} | stats n=count() by ${fieldPath(field)} | sort -n | limit ${VALUES}`;
}
