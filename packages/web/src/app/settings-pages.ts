/** The pages under Settings, in the order of their tabs. */
export const SETTINGS_PAGES = [
  { label: 'Members', to: '/w/$ws/$project/settings/members' },
  { label: 'Roles', to: '/w/$ws/$project/settings/roles' },
  { label: 'API tokens', to: '/w/$ws/$project/settings/tokens' },
  { label: 'SDK keys', to: '/w/$ws/$project/settings/sdk-keys' },
  { label: 'Environments', to: '/w/$ws/$project/settings/environments' },
  { label: 'Projects', to: '/w/$ws/$project/settings/projects' },
  { label: 'Workspace', to: '/w/$ws/$project/settings/workspace' },
  { label: 'Audit log', to: '/w/$ws/$project/settings/audit' },
  { label: 'Profile', to: '/w/$ws/$project/settings/profile' },
] as const;
