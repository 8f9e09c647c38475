import { IconMenu2 } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { Drawer, UnstyledButton } from '../ui/mantine.ts';
import classes from './bottom-bar.module.css';
import { Navigation } from './navigation.tsx';
import { usePages } from './pages.ts';
import { useScope } from './session.ts';

/** What people need at once on a phone: whether something is wrong, since when, and what changed. */
const SHOWN = ['Home', 'Logs', 'Alerts', 'Flags'];

/** The navigation of phones: four pages within reach of a thumb, and all others behind “More”. */
export function BottomBar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const scope = useScope();
  const pages = usePages();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  // Where it was opened: on another page it is closed.
  const [openedAt, setOpenedAt] = useState<string>();
  const isOpen = openedAt === pathname;
  const close = () => setOpenedAt(undefined);
  const search = () => {
    close();
    onSearch();
  };
  return (
    <>
      <nav className={classes.bar} aria-label="Main">
        {pages
          .filter(({ section, label }) => section !== 'Settings' && SHOWN.includes(label))
          .map(({ label, to, icon: Icon }) => (
            <Link key={to} className={classes.item} to={to} params={scope}>
              {Icon && <Icon size={20} stroke={1.6} />}
              <span>{label}</span>
            </Link>
          ))}
        <UnstyledButton className={classes.item} aria-expanded={isOpen} onClick={() => setOpenedAt(pathname)}>
          <IconMenu2 size={20} stroke={1.6} />
          <span>More</span>
        </UnstyledButton>
      </nav>
      <Drawer opened={isOpen} onClose={close} position="left" size={280} title="All pages">
        <Navigation label="All pages" onSearch={search} onHelp={onHelp} />
      </Drawer>
    </>
  );
}
