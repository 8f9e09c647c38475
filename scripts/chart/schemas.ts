/*
 * Keeps what test/chart needs of the schemas of Kubernetes and of the Prometheus operator:
 *
 *     npx tsx scripts/chart/schemas.ts KUBERNETES-1.28.15 KUBERNETES-1.37.2 PROMETHEUS-OPERATOR
 *
 * The first two are source trees of https://github.com/kubernetes/kubernetes, the last of
 * https://github.com/prometheus-operator/prometheus-operator (v0.85.0), all under Apache-2.0. With Go,
 * `go mod download -json k8s.io/kubernetes@v1.28.15` fetches a tree and prints where it is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { kubernetesVersions, schemasFolder } from './chart.ts';
import { type Schema, schemasOfApi, schemasOfResource } from './schema-rules.ts';

/** One definition a line, so that a change of one is seen. */
function write(name: string, schemas: Readonly<Record<string, Schema>>): void {
  const lines = Object.entries(schemas).map(([key, schema]) => `${JSON.stringify(key)}: ${JSON.stringify(schema)}`);
  writeFileSync(join(schemasFolder, `${name}.json`), `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${name}: ${lines.length} schemas`);
}

const [operator = '', ...trees] = process.argv.slice(2).reverse();
if (trees.length !== kubernetesVersions.length)
  throw new Error('name a source tree of each version; see the first lines');
for (const [at, version] of kubernetesVersions.entries()) {
  const tree = trees.at(-1 - at) ?? '';
  const { definitions } = JSON.parse(readFileSync(join(tree, 'api/openapi-spec/swagger.json'), 'utf8'));
  write(`kubernetes-${version}`, schemasOfApi(definitions));
}
const resource = 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml';
write('prometheus-operator-0.85.0', schemasOfResource(parse(readFileSync(join(operator, resource), 'utf8'))));
