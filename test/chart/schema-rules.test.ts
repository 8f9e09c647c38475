import { describe, expect, it } from 'vitest';
import { type Schema, schemasOfApi, schemasOfResource } from '../../scripts/chart/schema-rules.ts';

const kinds = [
  ...[
    ['apps', 'v1', 'Deployment'],
    ['apps', 'v1', 'StatefulSet'],
    ['', 'v1', 'Service'],
  ],
  ...[
    ['networking.k8s.io', 'v1', 'Ingress'],
    ['networking.k8s.io', 'v1', 'NetworkPolicy'],
  ],
  ...[
    ['policy', 'v1', 'PodDisruptionBudget'],
    ['autoscaling', 'v2', 'HorizontalPodAutoscaler'],
  ],
];
const part = {
  type: 'object',
  description: 'a part',
  properties: {
    description: { type: 'string', description: 'a field with the name of a keyword' },
    labels: { type: 'object', additionalProperties: { type: 'string', description: 'a label' } },
    list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    size: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
  },
  'x-kubernetes-map-type': 'atomic',
};
const document: Record<string, Schema> = {
  Part: part,
  Unused: { type: 'object' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string', description: 'in words' },
  ...Object.fromEntries(
    kinds.map(([group, version, kind]) => [
      `${group}.${kind}`,
      {
        type: 'object',
        properties: { spec: { $ref: '#/definitions/Part' } },
        'x-kubernetes-group-version-kind': [{ group, version, kind }],
      },
    ]),
  ),
};

describe('schemas from the API document', () => {
  const schemas = schemasOfApi(document);

  it('contain the rendered kinds and what they refer to, and nothing else', () => {
    expect(schemas['apps/v1 Deployment']).toEqual({ $ref: '#/definitions/apps.Deployment' });
    expect(schemas['v1 Service']).toEqual({ $ref: '#/definitions/.Service' });
    expect(schemas).not.toHaveProperty('Unused');
    expect(Object.keys(schemas)).toHaveLength(2 * kinds.length + 2);
  });

  it('reject unknown fields at every depth, and keep no descriptions', () => {
    expect(schemas.Part).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        description: { type: 'string' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        list: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
        },
        size: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
      },
    });
  });

  it.each([
    ['1', true],
    ['500m', true],
    ['1.5Gi', true],
    ['1e3', true],
    ['-1Ki', true],
    ['1GB', false],
    ['1 Gi', false],
    ['Gi', false],
    ['', false],
  ])('the quantity %j: %s', (text, isOne) => {
    const { pattern } = schemas['io.k8s.apimachinery.pkg.api.resource.Quantity'] ?? {};
    expect(new RegExp(String(pattern)).test(text)).toBe(isOne);
  });

  it('throw if a rendered kind or a referenced definition is missing', () => {
    const { 'apps.Deployment': _, ...others } = document;
    expect(() => schemasOfApi(others)).toThrow('the document does not have apps/v1 Deployment');
    const { Part: __, ...broken } = document;
    expect(() => schemasOfApi(broken)).toThrow('no definition of Part');
  });
});

it('a custom resource gets the metadata schema of Kubernetes, and accepts numbers and strings where it declares both', () => {
  const port = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
  const openAPIV3Schema = { type: 'object', properties: { metadata: { type: 'object' }, port } };
  const spec = {
    group: 'example.com',
    names: { kind: 'Probe' },
    versions: [{ name: 'v1', schema: { openAPIV3Schema } }],
  };
  expect(schemasOfResource({ spec })).toEqual({
    'example.com/v1 Probe': {
      type: 'object',
      additionalProperties: false,
      properties: {
        metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
        port: { type: ['integer', 'string'], anyOf: [{ type: 'integer' }, { type: 'string' }] },
      },
    },
  });
});
