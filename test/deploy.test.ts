import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readVariables } from '../deploy/cluster-test/cluster.ts';
import * as contract from '../packages/contract/src/index.ts';
import { unknownVariables } from '../packages/server/src/config.ts';

const folder = fileURLToPath(new URL('../deploy', import.meta.url));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.\w+$|Dockerfile$/.test(path),
);

describe('the cluster test', () => {
  it('says which variables it needs, and takes no name that it would have to quote', () => {
    expect(readVariables({})).toContain('CLUSTER_TEST_URLS');
    const given = { CLUSTER_TEST_URLS: 'http://one:8123,http://two:8123', CLUSTER_TEST_CLUSTER: 'telemetry' };
    expect(readVariables(given)).toEqual({
      urls: ['http://one:8123', 'http://two:8123'],
      cluster: 'telemetry',
      database: 'fanion_cluster_test',
      keep: false,
    });
    expect(readVariables({ ...given, CLUSTER_TEST_DATABASE: 'a; DROP' })).toContain('not a name');
  });
});

describe('files for deployment', () => {
  it.each(files)('%s names variables that exist', (path) => {
    const named = [...read(path).matchAll(/\bFANION_[A-Z_]+[A-Z]\b/g)].map(([name]) => name);
    expect(unknownVariables(Object.fromEntries(named.map((name) => [name, 'x'])))).toEqual([]);
  });

  it('every server of the Compose file can write only its data, drains, and waits for its stores', () => {
    const { services } = parse(read('docker/compose.yaml'), { merge: true });
    const servers = ['fanion-1', 'fanion-2'].map((name) => services[name]);
    for (const server of servers) {
      expect(server).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        build: { target: 'external' },
      });
      expect(Number.parseInt(server.stop_grace_period, 10)).toBeGreaterThan(28);
      const waits = Object.keys(server.depends_on).filter((name) => services[name].healthcheck !== undefined);
      expect(waits).toEqual(Object.keys(server.depends_on));
    }
    expect(servers[0].environment).toEqual(servers[1].environment);
  });

  it('the ClickHouse nodes of the Compose file are those of its cluster', () => {
    const { services } = parse(read('docker/compose.yaml'), { merge: true });
    const nodes = Object.keys(services).filter((name) => name.startsWith('clickhouse-'));
    const shards = [...read('docker/clickhouse/cluster.xml').matchAll(/<shard>[\s\S]*?<\/shard>/g)].map(([shard]) => [
      ...[...shard.matchAll(/<host>([^<]+)<\/host>/g)].map(([, host]) => host),
    ]);
    expect(shards.flat()).toEqual(nodes);
    for (const [at, hosts] of shards.entries())
      for (const host of hosts) expect(services[host ?? ''].environment.SHARD).toBe(String(at + 1));
  });

  it('the ingress of the chart sends each request to the role that answers it', () => {
    const { ingestRoutes, routesOf, allRoutes, ...groups } = contract;
    const ingest = new Set<string>(routesOf(ingestRoutes).map(({ id }) => id));
    const { deliveryRoutes, evaluationRoutes, growthBookRoutes, unleashRoutes } = groups;
    const { launchDarklyRoutes, launchDarklyClientRoutes, launchDarklyEventRoutes } = groups;
    const flags = new Set<string>(
      [
        ...[deliveryRoutes, evaluationRoutes, growthBookRoutes, unleashRoutes],
        ...[launchDarklyRoutes, launchDarklyClientRoutes, launchDarklyEventRoutes],
      ].flatMap((group) => routesOf(group).map(({ id }) => id)),
    );
    const rules = [
      ...read('helm/fanion/templates/ingress.yaml').matchAll(/\$(ingest|flags) := list ([^}]+) }}/g),
    ].flatMap(([, role = '', paths = '']) =>
      [...paths.matchAll(/"([^"]+)"/g)].map(([, path = '']) => ({ role, path })),
    );
    const sentTo = (path: string) =>
      rules.find((rule) => path === rule.path || path.startsWith(`${rule.path}/`))?.role ?? 'api';
    const misled = allRoutes
      .map(({ id, prefix, path }) => ({
        path: prefix + path,
        role: ingest.has(id) ? 'ingest' : flags.has(id) ? 'flags' : 'api',
      }))
      .filter(({ path, role }) => sentTo(path) !== role)
      .map(({ path, role }) => `${path} is of the role ${role}`);
    expect(misled).toEqual([]);
    expect([ingest.size, flags.size].every((size) => size > 5)).toBe(true);
  });

  it('images and the chart are of pinned versions', () => {
    const version = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')).version;
    expect(parse(read('helm/fanion/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    const images = [...read('docker/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    for (const image of images) expect(image).toMatch(/^(node:20\.20\.\d+-bookworm-slim|base|install-external)$/);
  });
});
