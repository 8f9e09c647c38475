import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { allRoutes, errors, openApi } from '../index.ts';
import { filler } from './examples.ts';

/*
 * Every body and every answer of the API document has an example, and each is of the type that its schema says: people copy
 * them, and tools send them.
 */

type Json = { readonly [key: string]: unknown };
interface Media {
  readonly schema?: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Json>>;
}
interface Response {
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

const document = openApi(allRoutes, { version: '0.0.0', serverUrl: 'http://test' }) as Json & {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
addFormats.default(ajv);
ajv.addSchema(document, 'api');

const escaped = (segment: string) => segment.replaceAll('~', '~0').replaceAll('/', '~1');

/** The node that a pointer such as `#/components/schemas/Flag` names. */
function nodeAt(pointer: string): unknown {
  const [, ...segments] = pointer.split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.reduce<unknown>((parent, name) => (parent as Json)[name], document);
}

function resolved<T>(node: T): T {
  const { $ref } = (node ?? {}) as Json;
  return typeof $ref === 'string' ? (nodeAt($ref) as T) : node;
}

interface Found {
  readonly at: string;
  readonly example: unknown;
}

/** Examples of media types and parameters (`example` and `examples` beside `schema`), and of schemas themselves (`examples`). */
function examplesIn(node: unknown, at: string): Found[] {
  if (typeof node !== 'object' || node === null) return [];
  const { schema, example, examples } = node as Json;
  const isSchema = !at.endsWith('/properties') && schema === undefined;
  const beside = [
    ...(example === undefined ? [] : [example]),
    ...Object.values((schema === undefined ? undefined : (examples as object)) ?? {}).map(
      (one) => resolved(one as Json).value,
    ),
  ];
  return [
    ...(schema === undefined ? [] : beside.map((one) => ({ at: `${at}/schema`, example: one }))),
    ...(isSchema && Array.isArray(examples) ? examples.map((one) => ({ at, example: one })) : []),
    ...Object.entries(node)
      .filter(
        ([key]) =>
          key !== 'example' && key !== 'default' && !(key === 'examples' && (isSchema || schema !== undefined)),
      )
      .flatMap(([key, child]) => examplesIn(child, `${at}/${escaped(key)}`)),
  ];
}

const validators = new Map<string, ValidateFunction>();
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const hasExample = ({ example, examples }: Media) => example !== undefined || Object.keys(examples ?? {}).length > 0;

describe('the examples of the API document', () => {
  it('are there for each JSON body', () => {
    const without = operations.flatMap(({ operationId, requestBody }) =>
      Object.entries(requestBody?.content ?? {})
        .filter(([media, content]) => media === 'application/json' && !hasExample(content))
        .map(([media]) => `${operationId} ${media}`),
    );
    expect(without).toEqual([]);
  });
  it('are there for each answer that has a schema, errors too', () => {
    const without = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, response]) =>
        Object.values(resolved(response).content ?? {})
          .filter((content) => content.schema !== undefined && !hasExample(content))
          .map(() => `${operationId} ${status}`),
      ),
    );
    expect(without).toEqual([]);
  });
  it('match their schemas', () => {
    const { examples: _, ...components } = document.components as Json;
    const found = [...examplesIn(document.paths, '#/paths'), ...examplesIn(components, '#/components')];
    expect(found.length).toBeGreaterThan(500);
    const wrong = found.flatMap(({ at, example }) => {
      // Many fields have the same schema, and so the same example.
      const key = JSON.stringify(nodeAt(at));
      const validate = validators.get(key) ?? ajv.compile({ $ref: `api${encodeURI(at)}` });
      validators.set(key, validate);
      return validate(example) ? [] : [`${at}: ${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(wrong).toEqual([]);
  });
  it('leave no field without a value', () => {
    const without = examplesIn(document, '#').filter(({ example }) => JSON.stringify(example).includes(filler));
    expect(without.map(({ at, example }) => `${at}: ${JSON.stringify(example)}`)).toEqual([]);
  });
  it('of errors have no words in braces left', () => {
    const { examples } = document.components as { examples: Record<string, { value: { error: { message: string } } }> };
    const texts = Object.keys(errors).flatMap((name) => examples[name]?.value.error.message ?? []);
    expect(texts.length).toBeGreaterThan(90);
    expect(texts.filter((text) => /\{\w+\}/.test(text))).toEqual([]);
  });
  it('show of a resource what its example creates', () => {
    const { examples } = document.components as { examples: Record<string, { value: { data: unknown } }> };
    expect(examples.AlertRuleResponse?.value.data).toMatchObject({
      name: 'Checkout fails',
      condition: { op: '>', for: '5m' },
    });
    expect(examples.FlagPage?.value.data).toMatchObject([{ key: 'new-checkout', kind: 'boolean' }]);
    expect(JSON.stringify(examples.ChannelResponse)).not.toContain('top-secret');
  });
});
