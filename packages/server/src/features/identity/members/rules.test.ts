import { builtInRoles, permissionNames } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { changedPlaces, grantable, lackingFor, type RoleFact } from './rules.ts';

const role = (key: keyof typeof builtInRoles): RoleFact => ({
  id: key,
  key,
  name: builtInRoles[key].name,
  permissions: builtInRoles[key].permissions,
});
const giver = (key: keyof typeof builtInRoles) => ({
  owner: key === 'owner',
  permissions: new Set(builtInRoles[key].permissions),
});

describe('giving a role away', () => {
  it.each([
    ['owner', 'owner', undefined],
    ['owner', 'viewer', undefined],
    ['admin', 'owner', 'the role owner'],
    ['admin', 'admin', undefined],
    ['admin', 'editor', undefined],
    ['editor', 'viewer', undefined],
  ] as const)('%s may make somebody %s: lacks %s', (from, to, lacks) =>
    expect(lackingFor(giver(from), role(to))).toBe(lacks),
  );
  it('needs each permission of the role', () => {
    expect(lackingFor(giver('viewer'), role('editor'))).toBeDefined();
    const custom = { id: 'x', key: null, name: 'Auditor', permissions: ['audit:read', 'no:such'] };
    expect(lackingFor(giver('admin'), custom)).toBeUndefined();
    expect(lackingFor(giver('editor'), custom)).toBe('audit:read');
  });
  it('all permissions are not enough to make somebody an owner', () => {
    const almost = { owner: false, permissions: new Set(permissionNames) };
    expect(lackingFor(almost, role('owner'))).toBe('the role owner');
  });
});

describe('what changes when grants are replaced', () => {
  const [viewer, editor, admin] = [role('viewer'), role('editor'), role('admin')];
  const grant = (projectId: string, environmentId: string | null, given: RoleFact) => ({
    projectId,
    environmentId,
    role: given,
  });
  it('is nothing when they are the same', () =>
    expect(changedPlaces(viewer, [grant('p', 'e', editor)], [grant('p', 'e', editor)])).toEqual([]));
  it('is the role that a new one gives', () =>
    expect(changedPlaces(viewer, [], [grant('p', null, editor)])).toEqual([grant('p', null, editor)]));
  it('is the broader role that applies when one is removed', () => {
    expect(changedPlaces(admin, [grant('p', null, viewer)], [])).toEqual([grant('p', null, admin)]);
    expect(
      changedPlaces(viewer, [grant('p', null, editor), grant('p', 'e', viewer)], [grant('p', null, editor)]),
    ).toEqual([grant('p', 'e', editor)]);
  });
  it('is nothing when a grant repeats the role that already applies', () =>
    expect(changedPlaces(viewer, [], [grant('p', null, viewer)])).toEqual([]));
});

it('a grant never gives permissions that affect the whole workspace', () =>
  expect(grantable(role('owner')).filter((permission) => /^(members|roles|audit|workspace):/.test(permission))).toEqual(
    [],
  ));
