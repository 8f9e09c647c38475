/** The level a permission applies to: a member's grants can change only those of projects and environments. */
export type PermissionLevel = 'workspace' | 'project' | 'environment';

interface PermissionDefinition {
  readonly level: PermissionLevel;
  readonly description: string;
}

function definePermissions<const T extends Record<string, PermissionDefinition>>(table: T): T {
  return table;
}

/** Every permission, `area:verb`. A permission is never renamed: roles and tokens store its name. */
export const permissions = definePermissions({
  'workspace:read': { level: 'workspace', description: 'See the workspace, its projects, environments and services' },
  'workspace:write': { level: 'workspace', description: 'Rename or delete the workspace' },
  'members:read': { level: 'workspace', description: 'See members, invitations and their roles' },
  'members:write': { level: 'workspace', description: 'Add, invite and remove members, set their roles and grants' },
  'roles:read': { level: 'workspace', description: 'See roles' },
  'roles:write': { level: 'workspace', description: 'Create, change and delete custom roles' },
  'projects:write': { level: 'project', description: 'Create, change and delete projects' },
  'environments:write': { level: 'project', description: 'Create, change and delete environments' },
  'services:write': { level: 'workspace', description: 'Set owner, team, runbook and tags of services' },
  'tokens:read': { level: 'workspace', description: 'See API tokens and SDK keys (never their secrets)' },
  'tokens:write': { level: 'environment', description: 'Create and revoke API tokens and SDK keys' },
  'audit:read': { level: 'workspace', description: 'Read the audit log' },
  'telemetry:ingest': { level: 'environment', description: 'Send traces, logs, metrics and profiles' },
  'telemetry:query': { level: 'environment', description: 'Query traces, logs, metrics and profiles' },
  'errors:write': { level: 'project', description: 'Resolve, ignore and reopen errors' },
  'flags:read': { level: 'environment', description: 'See flags, targeting, segments and their history' },
  'flags:write': { level: 'environment', description: 'Create and change flags, targeting and segments' },
  'flags:approve': { level: 'environment', description: "Approve or reject other people's flag changes" },
  'flags:bypass_approval': {
    level: 'environment',
    description: 'Change a protected environment without approval (audited)',
  },
  'experiments:read': { level: 'project', description: 'See experiments, metrics and results' },
  'experiments:write': { level: 'project', description: 'Create, start and stop experiments and their metrics' },
  'alerts:read': { level: 'workspace', description: 'See alert rules, instances, silences and channels' },
  'alerts:write': { level: 'workspace', description: 'Change alert rules, silences, channels and routing' },
  'dashboards:read': { level: 'workspace', description: 'See dashboards, saved queries, SLOs and recording rules' },
  'dashboards:write': { level: 'workspace', description: 'Change dashboards, saved queries, SLOs and recording rules' },
});

export type Permission = keyof typeof permissions;
export const permissionNames = Object.keys(permissions) as Permission[];

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(permissions, name);
}

const readOnly = permissionNames.filter((p) => p.endsWith(':read') && p !== 'audit:read');

/** The read-only roles of every workspace. */
export const builtInRoles = {
  owner: { name: 'Owner', permissions: permissionNames },
  admin: { name: 'Admin', permissions: permissionNames.filter((p) => p !== 'flags:bypass_approval') },
  editor: {
    name: 'Editor',
    permissions: [
      ...readOnly,
      'telemetry:query',
      'telemetry:ingest',
      'services:write',
      'errors:write',
      'flags:write',
      'flags:approve',
      'experiments:write',
      'alerts:write',
      'dashboards:write',
    ],
  },
  viewer: { name: 'Viewer', permissions: [...readOnly, 'telemetry:query'] },
} as const satisfies Record<string, { name: string; permissions: readonly Permission[] }>;

export type BuiltInRole = keyof typeof builtInRoles;
