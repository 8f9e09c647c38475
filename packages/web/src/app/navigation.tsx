import {
  IconBook,
  IconClock,
  IconHelp,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSelector,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Menu, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '../ui/mantine.ts';
import { toastError } from '../ui/toast.ts';
import { Mark } from './mark.tsx';
import { PageLinks } from './page-links.tsx';
import { projectsQuery, signOut, useMe, useScope, useWorkspace } from './session.ts';
import classes from './shell.module.css';
import { TimeZoneDialog, TimeZoneLabel } from './time-zone.tsx';

const ICON = { size: 17, stroke: 1.6 } as const;

export function Navigation({ label, onSearch, onHelp }: { label: string; onSearch: () => void; onHelp: () => void }) {
  return (
    <nav className={classes.side} aria-label={label}>
      <Switcher />
      <UnstyledButton className={classes.search} onClick={onSearch}>
        <IconSearch {...ICON} size={15} />
        <span>Search</span>
        <kbd>{shortcut('K')}</kbd>
      </UnstyledButton>
      <PageLinks />
      <div className={classes.fill} />
      <UserMenu onHelp={onHelp} />
    </nav>
  );
}

/** `⌘K` on Apple platforms, `Ctrl K` elsewhere. */
export function shortcut(key: string): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? `⌘${key}` : `Ctrl ${key}`;
}

function Switcher() {
  const scope = useScope();
  const workspace = useWorkspace();
  const { workspaces } = useMe();
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(projectsQuery(scope.ws));
  const current = projects.find((project) => project.key === scope.project);
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton className={classes.switcher}>
          <Mark size={26} />
          <div className={classes.names}>
            <span className="visually-hidden">Switch project:</span>
            <div className={`${classes.project} truncate`}>{current?.name ?? scope.project}</div>
            <div className={`${classes.workspace} truncate`}>{workspace.name}</div>
          </div>
          <IconSelector size={15} stroke={1.6} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Projects of {workspace.name}</Menu.Label>
        {projects.map((project) => (
          <Menu.Item
            key={project.id}
            fw={project.key === scope.project ? 600 : undefined}
            onClick={() => navigate({ to: '/w/$ws/$project', params: { ws: scope.ws, project: project.key } })}
          >
            {project.name}
          </Menu.Item>
        ))}
        <Menu.Item c="dimmed" onClick={() => navigate({ to: '/w/$ws/$project/settings/projects', params: scope })}>
          Manage projects…
        </Menu.Item>
        {workspaces.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>Workspaces</Menu.Label>
            {workspaces.map((candidate) => (
              <Menu.Item
                key={candidate.id}
                fw={candidate.id === workspace.id ? 600 : undefined}
                onClick={() => navigate({ to: '/w/$ws', params: { ws: candidate.slug } })}
              >
                {candidate.name}
              </Menu.Item>
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu({ onHelp }: { onHelp: () => void }) {
  const { user } = useMe();
  const scope = useScope();
  const navigate = useNavigate();
  const [choosingZone, setChoosingZone] = useState(false);
  return (
    <>
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton className={classes.user}>
            <span className={classes.avatar} aria-hidden>
              {initials(user.name)}
            </span>
            <span className="truncate">
              <span className="visually-hidden">Account of </span>
              {user.name}
            </span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{user.email}</Menu.Label>
          <Item
            icon={<IconUser {...ICON} />}
            onClick={() => navigate({ to: '/w/$ws/$project/settings/profile', params: scope })}
          >
            Profile and password
          </Item>
          <SchemeItem />
          <Item icon={<IconClock {...ICON} />} onClick={() => setChoosingZone(true)}>
            <TimeZoneLabel />
          </Item>
          <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<IconBook {...ICON} />}>
            Documentation
          </Menu.Item>
          <Item icon={<IconHelp {...ICON} />} onClick={onHelp}>
            Keyboard shortcuts
          </Item>
          <Menu.Divider />
          <Item
            icon={<IconLogout {...ICON} />}
            onClick={() => {
              signOut().then(() => navigate({ to: '/sign-in' }), toastError);
            }}
          >
            Sign out
          </Item>
        </Menu.Dropdown>
      </Menu>
      <TimeZoneDialog opened={choosingZone} onClose={() => setChoosingZone(false)} />
    </>
  );
}

function Item({ icon, onClick, children }: { icon: ReactNode; onClick: () => void; children: ReactNode }) {
  return (
    <Menu.Item leftSection={icon} onClick={onClick}>
      {children}
    </Menu.Item>
  );
}

/** Switches between light and dark; until then the system's choice applies. */
function SchemeItem() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme();
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Item
      icon={other === 'dark' ? <IconMoon {...ICON} /> : <IconSun {...ICON} />}
      onClick={() => setColorScheme(other)}
    >
      {other === 'dark' ? 'Dark colors' : 'Light colors'}
    </Item>
  );
}

/** Up to two initials: `Ada Lovelace` → `AL`. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => [...(word ?? '?')][0]?.toUpperCase()).join('');
}
