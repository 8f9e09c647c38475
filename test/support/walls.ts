import { posix } from 'node:path';

const server = 'packages/server/src/';

/**
 * Describes the dependency rules of docs/ARCHITECTURE.md that a file breaks, apart from those of the linter. Tests are
 * exempt.
 * @param path from the root of the repository, with `/`
 */
export function breaches(path: string, text: string): string[] {
  if (/\.test\.tsx?$/.test(path) || path.includes('/testing/')) return [];
  const imports = importsOf(path, text);
  return [
    ...(path.startsWith(server)
      ? [
          ...intoFeatures(path, imports),
          ...upwards(path, imports),
          ...sql(path, text),
          ...pastGateway(path, imports),
          ...compiling(path, text),
        ]
      : []),
    ...(/(^|[/-])rules\.ts$/.test(path) ? impurities(path, text, imports) : []),
    ...(path.startsWith('packages/contract/') ? valuesOfOthers(path, text) : []),
  ];
}

/** The imports and re-exports of a file: paths from the root, or names of packages. */
function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g)].map(([, name = '']) =>
    name.startsWith('.') ? posix.join(posix.dirname(path), name) : name,
  );
}

const featureOf = (path: string) => /^packages\/server\/src\/features\/([^/]+\/[^/]+)\//.exec(path)?.[1];

/** Through the index. The configuration composes their settings, without the code of their index. */
function intoFeatures(path: string, imports: readonly string[]): string[] {
  const entry = path === `${server}config.ts` ? 'settings.ts' : 'index.ts';
  return imports
    .filter((target) => featureOf(target) !== undefined && featureOf(target) !== featureOf(path))
    .filter((target) => target !== `${server}features/${featureOf(target)}/${entry}`)
    .map((target) => `${path} enters a feature past its index.ts: ${target}`);
}

/** Order of layers: platform, http, features, and the protocols of other products above all of them. */
function upwards(path: string, imports: readonly string[]): string[] {
  const above = path.startsWith(`${server}platform/`)
    ? [`${server}http/`, `${server}features/`, `${server}protocols/`]
    : path.startsWith(`${server}http/`)
      ? [`${server}features/`, `${server}protocols/`]
      : path.startsWith(`${server}features/`)
        ? [`${server}protocols/`]
        : [];
  return imports
    .filter((target) => above.some((folder) => target.startsWith(folder)))
    .map((target) => `${path} knows what stands above it: ${target}`);
}

/** Queries are compiled by the gateway, long ones in a thread with a budget: here they would hold up everybody. */
function compiling(path: string, text: string): string[] {
  if (path.startsWith(`${server}platform/gateway/`)) return [];
  return [...text.matchAll(/\bimport \{([^}]*)\} from '@fanion\/oql'/g)]
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => /^(compile|compileRelation|validate)$/.test(name))
    .map((name) => `${path} compiles queries itself: ${name}`);
}

/** Code that writes telemetry or derives it for all tenants; everything else reads it through the gateway. */
const ownWayToStore = [
  'identity/removal',
  'system/status',
  'telemetry/ingest',
  'telemetry/service-map',
  'telemetry/text-indexes',
  'telemetry/roll-ups',
];

function pastGateway(path: string, imports: readonly string[]): string[] {
  const feature = featureOf(path);
  if (feature === undefined || ownWayToStore.includes(feature)) return [];
  return imports
    .filter((target) => target.startsWith(`${server}platform/clickhouse/`))
    .map((target) => `${path} reads telemetry past the gateway: ${target}`);
}

const builders = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<[^>]*>)?`/;
const statements = /[`'"]\s*(SELECT|INSERT INTO|ALTER TABLE|CREATE TABLE|DELETE FROM|WITH)\s/;

function sql(path: string, text: string): string[] {
  if (path.startsWith(`${server}platform/`) || /(^|[/-])store\.ts$/.test(path)) return [];
  return builders.test(text) || statements.test(text) ? [`${path} has SQL, which stands in a store.ts`] : [];
}

const effects = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\bperformance\.now\(|\bsetTimeout\(/;
const effectful = /^(node:|kysely$|pg$|fastify$)|(^|[/-])store\.ts$|\/platform\/(postgres|clickhouse|clock\.ts)/;

function impurities(path: string, text: string, imports: readonly string[]): string[] {
  return [
    ...(effects.test(text) ? [`${path} takes the time or chance by itself: both are parameters`] : []),
    ...imports.filter((target) => effectful.test(target)).map((target) => `${path} is no rule with ${target}`),
  ];
}

function valuesOfOthers(path: string, text: string): string[] {
  return [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(@fanion\/[^']+)'/gm)].map(
    ([, name]) => `${path} takes more than types of ${name}`,
  );
}
