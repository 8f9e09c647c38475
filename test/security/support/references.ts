import type { Schema, ServedDocument, ServedOperation } from './document.ts';

/** Resources by names of their own. */
const otherNames = ['goals', 'secondary', 'guardrails'];
/** They have the name of a resource, and are texts: OQL, a name in telemetry, a secret, a label of rules. */
const texts = new Set(['query', 'service', 'services', 'trace', 'token', 'group']);
/** Which workspace a request is for: test/security/tenants.test.ts tests it. */
const scope = new Set(['workspace']);

/** What can be named: the collections of the document's paths, in the singular and in the plural. */
function namesOf(operations: readonly ServedOperation[]): ReadonlySet<string> {
  const collections = operations.flatMap(({ path }) =>
    // A label of a series is no resource of a workspace.
    [...path.matchAll(/([\w-]+)\/\{\w+\}/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => name !== 'label' && name !== 'tag'),
  );
  const forms = collections.flatMap((collection) => {
    const plural = collection.replaceAll('-', '_');
    const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
    // A field does not repeat the kind: the `rule` of an alert, the `policy` of a route.
    return [plural, singular].flatMap((name) => [name, name.slice(name.lastIndexOf('_') + 1)]);
  });
  return new Set([...forms, ...otherNames].filter((name) => !texts.has(name) && !scope.has(name)));
}

/** The places of fields that are ids, or have the name of a resource. */
function placesIn(document: ServedDocument, { body, query }: ServedOperation, names: ReadonlySet<string>): string[] {
  const places = new Set<string>();
  const collect = (given: Schema, place: string, separator: string, around: readonly Schema[]): void => {
    const schema = document.resolve(given);
    if (around.includes(schema)) return;
    const within = [...around, schema];
    const name = (/(\w+)(\[\])*$/.exec(place)?.[1] ?? '').replace(/_(id|key)s?$/, '');
    const isString = schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
    // One of a few words is no name of a resource.
    const isName = isString && schema.enum === undefined && names.has(name);
    if (schema.format === 'uuid' || isName) places.add(place);
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      collect(part, place, separator, within);
    if (schema.items !== undefined) collect(schema.items, `${place}[]`, separator, within);
    for (const [key, value] of Object.entries(schema.properties ?? {}))
      collect(value, `${place}${separator}${key}`, '.', within);
    if (typeof schema.additionalProperties === 'object')
      collect(schema.additionalProperties, `${place}{}`, '.', within);
  };
  if (body !== undefined) collect(body, 'body', ' ', []);
  for (const [name, schema] of Object.entries(query)) collect(schema, `query ${name}`, '.', []);
  return [...places];
}

/** All places of the document's requests of people that can name something, as `<operation> <place>`. */
export function placesOf(document: ServedDocument): string[] {
  const { operations } = document;
  const names = namesOf(operations);
  return operations
    .filter(({ security }) => security.includes('session'))
    .flatMap((operation) => placesIn(document, operation, names).map((place) => `${operation.id} ${place}`));
}

/** What came of a request that names something. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
  /** What it left behind in the control plane. */
  readonly changes: readonly string[];
}

/** What is wrong with a write that names something foreign, beside the same write that names nothing. */
export function faultsOf(foreign: Outcome, unknown: Outcome): string[] {
  return [
    ...(foreign.status === 404 || foreign.status === 422
      ? []
      : [`answered ${foreign.status}: ${foreign.text.slice(0, 300)}`]),
    ...(foreign.status === unknown.status && foreign.text === unknown.text
      ? []
      : ['answered unlike one that names nothing']),
    ...[...foreign.changes, ...unknown.changes].map((change) => `changed ${change}`),
  ];
}
