import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { schemasFolder } from '../../scripts/chart/chart.ts';
import { kindOf, type Schema } from '../../scripts/chart/schema-rules.ts';
import type { KubernetesObject } from './relations.ts';

/** Reads manifests as Kubernetes does: in YAML 1.1, in which `no` and `1e3` are not strings. */
export function objectsIn(manifests: string): KubernetesObject[] {
  const documents = parseAllDocuments(manifests, { version: '1.1' });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.contents === null ? [] : [document.toJS()];
  });
}

const schemasIn = (file: string): Record<string, Schema> => JSON.parse(readFileSync(join(schemasFolder, file), 'utf8'));
const files = readdirSync(schemasFolder);

export const versions = files.filter((file) => file.startsWith('kubernetes-')).map((file) => file.slice(11, -5));

/** Returns what a version of Kubernetes, with the Prometheus operator, rejects in an object. */
export function validatorOf(version: string): (object: KubernetesObject) => string[] {
  const definitions = Object.assign(
    schemasIn(`kubernetes-${version}.json`),
    ...files.filter((file) => !file.startsWith('kubernetes-')).map(schemasIn),
  );
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false });
  ajv.addFormat('int32', {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 31,
  });
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addFormat('date-time', (value: string) => !Number.isNaN(Date.parse(value)));
  ajv.addSchema({ $id: 'kubernetes', definitions });
  return (object) => {
    const kind = kindOf(object);
    if (!(kind in definitions)) return [`${kind} is not a kind that was kept: npx tsx scripts/chart/schemas.ts`];
    const name = encodeURIComponent(kind.replaceAll('/', '~1'));
    const validate = ajv.getSchema(`kubernetes#/definitions/${name}`);
    if (validate === undefined) throw new Error(`${kind} has no schema`);
    if (validate(object) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${kind} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}
