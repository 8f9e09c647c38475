/** A JSON schema, or a part of one. */
export interface Schema {
  readonly [key: string]: unknown;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What the chart may render. */
const KINDS = new Set([
  ...['apps/v1 Deployment', 'apps/v1 StatefulSet', 'v1 Service', 'networking.k8s.io/v1 Ingress'],
  ...['networking.k8s.io/v1 NetworkPolicy', 'policy/v1 PodDisruptionBudget', 'autoscaling/v2 HorizontalPodAutoscaler'],
]);
/** Kubernetes' API document calls these strings, and describes in words what they may be. */
const IN_WORDS: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    type: 'string',
    pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d+)?$',
  },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['integer', 'string'] },
};
const reference = '#/definitions/';

export const kindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string =>
  `${apiVersion} ${kind}`;

/**
 * The schemas of the kinds that the chart renders, by `apiVersion kind`, and of all that they refer to, by name. They reject unknown fields, which the
 * API document does not: a server drops these, or refuses them.
 */
export function schemasOfApi(definitions: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  const add = (name: string) => {
    const definition = definitions[name];
    if (definition === undefined) throw new Error(`the document has no definition of ${name}`);
    if (name in schemas) return;
    schemas[name] = IN_WORDS[name] ?? strict(definition);
    for (const next of referencesIn(schemas[name])) add(next);
  };
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = (definition['x-kubernetes-group-version-kind'] ?? []) as readonly GroupVersionKind[];
    const found = kinds.map(({ group, version, kind }) =>
      kindOf({ apiVersion: group === '' ? version : `${group}/${version}`, kind }),
    );
    for (const kind of found.filter((one) => KINDS.has(one))) {
      add(name);
      schemas[kind] = { $ref: reference + name };
    }
  }
  const missing = [...KINDS].filter((kind) => !(kind in schemas));
  if (missing.length > 0) throw new Error(`the document does not have ${missing.join(', ')}`);
  return schemas;
}

/** The schemas of a CustomResourceDefinition, by `apiVersion kind`. Its metadata is that of Kubernetes' own kinds. */
export function schemasOfResource({ spec }: { readonly spec: ResourceSpec }): Record<string, Schema> {
  return Object.fromEntries(
    spec.versions.map(({ name, schema: { openAPIV3Schema } }) => {
      const { properties, ...rest } = openAPIV3Schema;
      const metadata = { $ref: `${reference}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` };
      return [
        kindOf({ apiVersion: `${spec.group}/${name}`, kind: spec.names.kind }),
        strict({ ...rest, properties: { ...(properties as Schema), metadata } }),
      ];
    }),
  );
}

interface ResourceSpec {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
}

function referencesIn(schema: Schema): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name = '']) => name);
}

/** Without descriptions and extensions, and with no other fields than those that are named. */
function strict(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  const kept = Object.entries(schema).filter(
    ([key]) => !key.startsWith('x-') && !['description', 'default'].includes(key),
  );
  return {
    ...Object.fromEntries(kept),
    ...(schema['x-kubernetes-int-or-string'] === true ? { type: ['integer', 'string'] } : {}),
    ...(isSchema(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, isSchema(one) ? strict(one) : one]),
          ),
          additionalProperties: false,
        }
      : {}),
    ...(isSchema(items) ? { items: strict(items) } : {}),
    ...(isSchema(additionalProperties) ? { additionalProperties: strict(additionalProperties) } : {}),
  };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
