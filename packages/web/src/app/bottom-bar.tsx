import { IconMenu2 } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Drawer, UnstyledButton } from '../ui/mantine.ts';
import classes from './bottom-bar.module.css';
import { Navigation } from './navigation.tsx';
import { usePages } from './pages.ts';
import { useScope } from './session.ts';

/** What people need at once on a phone: whether something is wrong, since when, and what changed. */
const SHOWN = ['Services', 'Logs', 'Alerts', 'Flags'];

/** The navigation of phones: four pages within reach of a thumb, and all others behind “More”. */
export function BottomBar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const scope = useScope();
  const pages = usePages();
  const [isOpen, setIsOpen] = useState(false);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what this reacts to
  useEffect(() => setIsOpen(false), [pathname]);
  const search = () => {
    setIsOpen(false);
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
        <UnstyledButton className={classes.item} aria-expanded={isOpen} onClick={() => setIsOpen(true)}>
          <IconMenu2 size={20} stroke={1.6} />
          <span>More</span>
        </UnstyledButton>
      </nav>
      <Drawer opened={isOpen} onClose={() => setIsOpen(false)} position="left" size={280} title="All pages">
        <Navigation label="All pages" onSearch={search} onHelp={onHelp} />
      </Drawer>
    </>
  );
}
