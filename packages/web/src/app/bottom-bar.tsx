import { IconMenu2 } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { Drawer, UnstyledButton } from '../ui/mantine.ts';
import classes from './bottom-bar.module.css';
import { Navigation } from './navigation.tsx';
import { pinnedPages } from './page-links.tsx';
import { usePages } from './pages.ts';
import { usePins } from './pins.ts';
import { useScope } from './session.ts';

/** Within reach of a thumb. */
const MAX_PAGES = 4;

/** The navigation of phones: the first four pinned pages, and all others behind “More”. */
export function BottomBar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const scope = useScope();
  const { pins } = usePins();
  const pages = pinnedPages(usePages(), pins).slice(0, MAX_PAGES);
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
        {pages.map(({ label, to, icon: Icon }) => (
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
