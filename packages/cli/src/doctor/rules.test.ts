import { describe, expect, it } from 'vitest';
import type { DirectoryFacts, Facts, ServerFacts, StoreFacts } from './facts.ts';
import { type Finding, inBytes, isOlder, lineOf } from './finding.ts';
import {
  directoryFinding,
  diskFinding,
  findingsOf,
  memoryFinding,
  nodeFinding,
  openFilesFinding,
  portFinding,
  secretKeyFinding,
  walFinding,
} from './rules.ts';
import { clockFinding, storeFindings } from './store-rules.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;
const down: ServerFacts = { isUp: false, endpoint: 'http://127.0.0.1:8080', problem: 'no server answers' };
const up: ServerFacts = {
  isUp: true,
  endpoint: 'http://127.0.0.1:8080',
  status: 'ok',
  version: '0.1.0',
  aheadMs: 0,
  dependencies: [
    { name: 'control_plane', status: 'up' },
    { name: 'telemetry_store', status: 'up' },
  ],
};
const directory: DirectoryFacts = {
  path: '/data',
  kind: 'directory',
  isWritable: true,
  owner: { pid: 7, isAlive: true },
  freeBytes: 10 * gibibyte,
  minFreeBytes: 512 * mebibyte,
  wal: { bytes: 0, maxBytes: 8 * gibibyte, ageSeconds: 0 },
};
const facts: Facts = {
  versions: { cli: '0.1.0', node: 'v20.20.2' },
  unknownVariables: [],
  server: up,
  directory,
  controlPlane: { kind: 'embedded' },
  telemetryStore: { kind: 'embedded' },
  memory: { configured: undefined, used: gibibyte, machine: 8 * gibibyte, group: undefined, available: 4 * gibibyte },
  openFiles: 20_000,
  ports: [{ variable: 'FANION_PORT', port: 8080, isOpen: true }],
  secretKey: { from: 'variable' },
};
const levels = (findings: readonly Finding[], level: Finding['level']) =>
  findings.filter((finding) => finding.level === level).map(({ check }) => check);

describe('a server and its machine', () => {
  it('are ok when nothing is amiss', () => {
    expect(findingsOf(facts).filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  it('show that the server does no work since its clock is not that of PostgreSQL', () => {
    const detail = '3600 s ahead of PostgreSQL: this server runs no jobs, alert rules and notifications';
    const server: ServerFacts = { ...up, dependencies: [{ name: 'clock', status: 'degraded', detail }] };
    expect(findingsOf({ ...facts, server })).toContainEqual({
      check: 'clocks of server and PostgreSQL',
      level: 'wrong',
      found: detail,
      mend: 'synchronize the clocks of both machines with NTP',
    });
    const agreeing: ServerFacts = { ...up, dependencies: [...up.dependencies, { name: 'clock', status: 'up' }] };
    expect(findingsOf({ ...facts, server: agreeing }).filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  it('are checked as far as possible while the server is down', () => {
    const idle = { ...directory, owner: undefined };
    const ports = [{ variable: 'FANION_PORT', port: 8080, isOpen: false }];
    const findings = findingsOf({ ...facts, server: down, directory: idle, ports });
    expect(levels(findings, 'wrong')).toEqual(['server']);
    expect(levels(findings, 'warning')).toEqual(['control plane', 'telemetry store']);
  });

  it('get a warning for another version, and for unknown variables', () => {
    const versions = { cli: '0.2.0', node: 'v20.20.2' };
    const findings = findingsOf({ ...facts, versions, unknownVariables: ['FANION_PROT'] });
    expect(levels(findings, 'warning')).toEqual(['versions', 'configuration']);
  });
});

it.each([
  ['v20.20.0', 'ok'],
  ['v24.1.0', 'ok'],
  ['v20.19.9', 'wrong'],
  ['v18.20.4', 'wrong'],
])('Node %s is %s', (version, level) => {
  expect(nodeFinding(version).level).toBe(level);
});

it.each<[string, Partial<DirectoryFacts>, ServerFacts, Finding['level'], RegExp]>([
  ['in use', {}, up, 'ok', /in use by process 7/],
  ['in use without an answering server', {}, down, 'wrong', /no server answers/],
  ['missing while a server answers', { kind: undefined, owner: undefined }, up, 'warning', /does not exist/],
  ['missing before the first start', { kind: undefined, owner: undefined }, down, 'ok', /first start creates it/],
  ['a file', { kind: 'other', owner: undefined }, down, 'wrong', /not a directory/],
  ['read-only', { isWritable: false }, up, 'wrong', /cannot be written/],
  ['not the one of the server', { owner: undefined }, up, 'warning', /no process uses/],
  ['left by a killed server', { owner: { pid: 7, isAlive: false } }, down, 'ok', /left by process 7/],
])('a data directory that is %s', (_, given, server, level, found) => {
  const finding = directoryFinding({ ...directory, ...given }, server);
  expect(finding).toMatchObject({ level, found: expect.stringMatching(found) });
});

it.each<[string, DirectoryFacts['wal'], ServerFacts, Finding['level']]>([
  ['nearly empty', { bytes: mebibyte, maxBytes: gibibyte, ageSeconds: 2 }, up, 'ok'],
  ['old', { bytes: mebibyte, maxBytes: gibibyte, ageSeconds: 61 }, up, 'warning'],
  ['more than half full', { bytes: 600 * mebibyte, maxBytes: gibibyte, ageSeconds: 2 }, up, 'warning'],
  ['full', { bytes: gibibyte, maxBytes: gibibyte, ageSeconds: 2 }, up, 'wrong'],
  ['left for the next start', { bytes: mebibyte, maxBytes: gibibyte, ageSeconds: 9_000 }, down, 'ok'],
  ['hidden by the server', undefined, up, 'warning'],
  ['missing before the first start', undefined, down, 'ok'],
])('a write-ahead log that is %s', (_, wal, server, level) => {
  expect(walFinding({ ...directory, wal }, server).level).toBe(level);
});

it.each([
  [10 * gibibyte, 'ok'],
  [800 * mebibyte, 'warning'],
  [100 * mebibyte, 'wrong'],
])('%i free bytes are %s', (freeBytes, level) => {
  expect(diskFinding({ ...directory, freeBytes }).level).toBe(level);
});

it.each([
  [{ from: 'variable' }, 'ok', ''],
  [{ mode: 0o600, isReadable: true, isNeeded: true }, 'ok', ''],
  [{ mode: 0o640, isReadable: true, isNeeded: true }, 'wrong', 'run chmod 600 /data/secret.key'],
  [{ mode: 0o600, isReadable: false, isNeeded: true }, 'wrong', 'run as the user of the server'],
  [{ mode: undefined, isReadable: false, isNeeded: true }, 'wrong', 'restore it from a backup'],
  [{ mode: undefined, isReadable: false, isNeeded: false }, 'ok', ''],
] as const)('a secret key with %j is %s', (given, level, mend) => {
  const finding = secretKeyFinding('from' in given ? given : { from: 'file', path: '/data/secret.key', ...given });
  expect(finding.level).toBe(level);
  expect(finding.mend ?? '').toContain(mend);
});

it.each([
  [4_096, 'ok'],
  [1_024, 'wrong'],
  [Number.POSITIVE_INFINITY, 'ok'],
  [undefined, 'ok'],
])('a limit of %s open files is %s', (limit, level) => {
  expect(openFilesFinding(limit).level).toBe(level);
});

it.each<[string, Partial<Facts['memory']>, ServerFacts, Finding['level']]>([
  ['enough', {}, up, 'ok'],
  ['less than is configured', { configured: 16 * gibibyte, used: 7 * gibibyte }, up, 'warning'],
  ['taken by other programs', { available: 100 * mebibyte }, down, 'warning'],
  ['taken by the server itself', { available: 100 * mebibyte }, up, 'ok'],
  ['too little in its control group', { group: 256 * mebibyte }, up, 'wrong'],
])('memory that is %s', (_, given, server, level) => {
  expect(memoryFinding({ ...facts.memory, ...given }, server).level).toBe(level);
});

it.each<[boolean, ServerFacts, Finding['level']]>([
  [true, up, 'ok'],
  [false, up, 'warning'],
  [false, down, 'ok'],
  [true, down, 'wrong'],
])('a port that is open (%s)', (isOpen, server, level) => {
  expect(portFinding({ variable: 'FANION_PORT', port: 8080, isOpen }, server).level).toBe(level);
});

describe('a store', () => {
  const external: StoreFacts = {
    kind: 'external',
    variable: 'DATABASE_URL',
    product: 'PostgreSQL',
    version: '18.1 (Debian 18.1-1)',
    least: '15',
    mayMigrate: true,
    aheadMs: 20,
  };
  const check = (store: StoreFacts, server = up) =>
    storeFindings('control plane', 'control_plane', store, server).map(({ level }) => level);

  it.each<[string, StoreFacts, Finding['level'][]]>([
    ['answers', external, ['ok', 'ok']],
    ['is too old', { ...external, version: '14.9' }, ['wrong', 'ok']],
    ['grants too little', { ...external, mayMigrate: false }, ['wrong', 'ok']],
    ['does not report its privileges', { ...external, mayMigrate: undefined }, ['ok', 'ok']],
    ['has another time', { ...external, aheadMs: -6_000 }, ['ok', 'warning']],
    ['does not answer', { kind: 'external', variable: 'DATABASE_URL', problem: 'refused' }, ['wrong']],
  ])('that %s', (_, store, expected) => {
    expect(check(store)).toEqual(expected);
  });

  it.each<[string, Finding['level']]>([
    ['up', 'ok'],
    ['degraded', 'warning'],
    ['down', 'wrong'],
  ])('that the server calls %s', (status, level) => {
    expect(check({ kind: 'embedded' }, { ...up, dependencies: [{ name: 'control_plane', status }] })).toEqual([level]);
  });
});

it.each([
  [4_900, 'ok'],
  [-4_900, 'ok'],
  [5_100, 'warning'],
  [-60_000, 'warning'],
])('a clock %i ms ahead is %s', (aheadMs, level) => {
  expect(clockFinding('server', aheadMs).level).toBe(level);
});

it.each([
  ['26.7.2.1', '26.7', false],
  ['26.6.9', '26.7', true],
  ['v20.20.0', '20.20.0', false],
  ['20', '20.20.0', true],
  ['100.1', '26.7', false],
])('%s is older than %s: %s', (version, least, older) => {
  expect(isOlder(version, least)).toBe(older);
});

it('prints a finding in one line, with what mends it', () => {
  const finding: Finding = { check: 'disk', level: 'wrong', found: '1 MiB free', mend: 'free space' };
  expect(lineOf(finding)).toBe('wrong    disk             1 MiB free: free space');
  expect([0, 1_023, 1_536, 8 * gibibyte].map(inBytes)).toEqual(['0 B', '1020 B', '1.5 KiB', '8 GiB']);
});
