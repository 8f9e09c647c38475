import { builtInRoles } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { type MembershipFact, missingFrom, permissionsAt, permissionsBelow } from './rules.ts';

const viewer = builtInRoles.viewer.permissions;
const editor = builtInRoles.editor.permissions;
const nowhere = { projectId: undefined, environmentId: undefined };
const member = (permissions: readonly string[], grants: MembershipFact['grants'] = []): MembershipFact => ({
  permissions,
  grants,
});
const at = (projectId: string, environmentId?: string) => ({ projectId, environmentId });

describe('permissions at a place', () => {
  const widened = member(viewer, [
    { projectId: 'shop', environmentId: null, permissions: editor },
    { projectId: 'shop', environmentId: 'production', permissions: viewer },
  ]);

  it.each([
    ['the workspace', nowhere, false],
    ['another project', at('blog'), false],
    ['the project of the grant', at('shop'), true],
    ['an environment of it', at('shop', 'development'), true],
    ['the environment that a narrower grant names', at('shop', 'production'), false],
  ])('flags:write in %s', (_name, place, expected) => {
    expect(permissionsAt(widened, place).has('flags:write')).toBe(expected);
  });

  it('that reach beyond a grant never come from it', () => {
    const sneaky = member(viewer, [
      { projectId: 'shop', environmentId: null, permissions: ['members:write', 'flags:write'] },
    ]);
    expect(permissionsAt(sneaky, at('shop')).has('members:write')).toBe(false);
    expect(permissionsAt(sneaky, at('shop')).has('workspace:read')).toBe(true);
  });

  it('shrink with a grant that is narrower than the workspace role', () => {
    const narrowed = member(editor, [{ projectId: 'secret', environmentId: null, permissions: [] }]);
    expect(permissionsAt(narrowed, at('secret')).has('telemetry:query')).toBe(false);
    expect(permissionsAt(narrowed, at('shop')).has('telemetry:query')).toBe(true);
    // For the whole workspace, one project without the permission is enough for a no.
    expect(permissionsBelow(narrowed, nowhere).has('telemetry:query')).toBe(false);
    expect(permissionsBelow(narrowed, at('shop')).has('telemetry:query')).toBe(true);
  });

  it('ignore unknown names', () => {
    expect(permissionsAt(member(['flags:read', 'flags:fly']), nowhere)).toEqual(new Set(['flags:read']));
  });
});

describe('giving away', () => {
  it('finds what the giver lacks', () => {
    expect(missingFrom(new Set(['flags:read']), ['flags:read', 'flags:write'])).toBe('flags:write');
    expect(missingFrom(new Set(['flags:read', 'flags:write']), ['flags:write'])).toBeUndefined();
  });
});
