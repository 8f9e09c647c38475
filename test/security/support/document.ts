import { testClient } from '../../../packages/server/src/testing/test-client.ts';

/** Of JSON Schema, what the security tests look at. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

/** An operation of the API document that a server serves. */
export interface ServedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The schemes of which each lets a caller in; empty: anybody may call it. */
  readonly security: readonly string[];
  /** The permissions that a caller needs; the first one is checked before the body is read. */
  readonly permissions: readonly string[];
  readonly pathParameters: readonly string[];
  readonly query: Readonly<Record<string, Schema>>;
  /** Of a JSON body. */
  readonly body: Schema | undefined;
  /** The first media type of a body. */
  readonly media: string | undefined;
}

export interface ServedDocument {
  readonly operations: readonly ServedOperation[];
  /** False: of several permissions, an operation names only the one that is checked before the body is read. */
  readonly namesAllPermissions: boolean;
  /** A schema without references at its top. */
  resolve<T extends object>(schema: T): T;
}

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-permission'?: string | readonly { readonly permission: string }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Reads the document as clients get it, so that what the tests derive from it cannot differ from what is published. */
export async function servedDocument(base: string): Promise<ServedDocument> {
  const { json } = await testClient(base).get('/api/v1/openapi.json');
  return readDocument(json);
}

/** @param json an OpenAPI document */
export function readDocument(json: { readonly paths?: unknown }): ServedDocument {
  const resolve = <T extends object>(schema: T): T => {
    const { $ref } = schema as { $ref?: string };
    if ($ref === undefined) return schema;
    const found = $ref
      .replace(/^#\//, '')
      .split('/')
      .reduce(
        (value: unknown, key) =>
          (value as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        json,
      );
    if (found === undefined) throw new Error(`the API document has no ${$ref}`);
    return resolve(found as T);
  };
  const operationOf = (path: string, method: string, raw: RawOperation): ServedOperation => {
    const parameters = (raw.parameters ?? []).map((parameter) => resolve(parameter));
    const permission = raw['x-permission'] ?? [];
    const content = raw.requestBody === undefined ? undefined : resolve(raw.requestBody).content;
    return {
      id: raw.operationId,
      method: method.toUpperCase(),
      path,
      security: (raw.security ?? []).flatMap((scheme) => Object.keys(scheme)),
      permissions: typeof permission === 'string' ? [permission] : permission.map((each) => each.permission),
      pathParameters: [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []),
      query: Object.fromEntries(
        parameters.filter((each) => each.in === 'query').map(({ name, schema }) => [name, schema]),
      ),
      body: content?.['application/json']?.schema,
      media: Object.keys(content ?? {})[0],
    };
  };
  const paths = json.paths as Record<string, Record<string, RawOperation>>;
  const raw = Object.values(paths).flatMap((methods) => Object.values(methods));
  return {
    resolve,
    namesAllPermissions: raw.some((operation) => Array.isArray(operation['x-permission'])),
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => operationOf(path, method, raw)),
    ),
  };
}
