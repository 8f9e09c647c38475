// `npm run --silent sbom > sbom.json`: the software bill of materials of a release, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
import { readFileSync } from 'node:fs';
import { shippedPackages } from './shipped.mjs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const purl = (name, at) => `pkg:npm/${name.replace('@', '%40')}@${at}`;

/** Of the form `sha512-<base64>`. */
function hashOf(integrity) {
  const [algorithm, digest] = integrity.split('-');
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

/** An identifier of SPDX, or an expression of several. */
function licenceOf(license) {
  if (license === undefined) return [];
  return [license.includes(' ') ? { expression: license } : { license: { id: license } }];
}

const components = shippedPackages().map(({ name, version, license, integrity, inBundle }) => ({
  type: 'library',
  name,
  version,
  purl: purl(name, version),
  'bom-ref': purl(name, version),
  scope: 'required',
  hashes: [hashOf(integrity)],
  licenses: licenceOf(license),
  properties: [{ name: 'fanion:shipped', value: inBundle ? 'in the web application' : 'as a dependency' }],
}));
const unique = [...new Map(components.map((component) => [component['bom-ref'], component])).values()];
console.log(
  JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: {
        component: {
          type: 'application',
          name: 'fanion',
          version,
          purl: purl('fanion', version),
          'bom-ref': 'fanion',
          licenses: licenceOf('Apache-2.0'),
        },
      },
      components: unique,
      dependencies: [{ ref: 'fanion', dependsOn: unique.map((component) => component['bom-ref']) }],
    },
    null,
    2,
  ),
);
