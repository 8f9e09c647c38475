import { IconPin, IconPinFilled } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { UnstyledButton } from '../ui/mantine.ts';
import { useRoving } from '../ui/roving.ts';
import { type ListedPage, SECTIONS, usePages } from './pages.ts';
import { pinOf, usePins } from './pins.ts';
import { useScope } from './session.ts';
import classes from './shell.module.css';

/** The pages by section, the pinned ones first. One tab stop: up and down move between pages, right reaches a page's pin. */
export function PageLinks() {
  const scope = useScope();
  const { pins, toggle } = usePins();
  const groups = grouped(usePages(), pins);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const keys = groups.flatMap(({ pages }) => pages.map(({ to }) => to));
  const current = keys.find((to) => isBelow(pathname, to.replace('$ws', scope.ws).replace('$project', scope.project)));
  const { group, item } = useRoving(keys, 'vertical', current);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside have the focus
    <div
      {...group}
      onKeyDown={(event) => {
        reachPin(event);
        group.onKeyDown(event);
      }}
    >
      {groups.map(({ name, pages }) => (
        <div key={name}>
          <div className={classes.section}>{name}</div>
          <ul className={classes.links} aria-label={name}>
            {pages.map(({ label, to, icon: Icon }) => {
              const isPinned = pins.includes(pinOf(to));
              const PinIcon = isPinned ? IconPinFilled : IconPin;
              return (
                <li key={to} className={classes.entry}>
                  <Link className={classes.link} to={to} params={scope} title={label} {...item(to)}>
                    {Icon && <Icon size={17} stroke={1.6} />}
                    <span>{label}</span>
                  </Link>
                  <UnstyledButton
                    className={classes.pin}
                    aria-label={`${isPinned ? 'Unpin' : 'Pin'} ${label}`}
                    title={isPinned ? 'Unpin' : 'Pin to the top'}
                    tabIndex={-1}
                    onClick={() => toggle(pinOf(to))}
                  >
                    <PinIcon size={14} stroke={1.6} />
                  </UnstyledButton>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** Pinned pages in the order in which they were pinned, then the others by section. */
export function grouped(
  pages: readonly ListedPage[],
  pins: readonly string[],
): { name: string; pages: readonly ListedPage[] }[] {
  const isPinned = ({ to }: ListedPage) => pins.includes(pinOf(to));
  return [
    { name: 'Pinned', pages: pinnedPages(pages, pins) },
    ...SECTIONS.map((name) => ({
      name,
      pages: pages.filter((page) => page.section === name && !isPinned(page)),
    })),
  ].filter((group) => group.pages.length > 0);
}

/** The pinned pages in the order in which they were pinned. */
export function pinnedPages(pages: readonly ListedPage[], pins: readonly string[]): readonly ListedPage[] {
  return pins.flatMap((pin) => pages.filter(({ section, to }) => section !== 'Settings' && pinOf(to) === pin));
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(`${path}/`);
}

/** Right moves from a page to its pin, left back. */
function reachPin(event: KeyboardEvent<HTMLElement>): void {
  const entry = (event.target as HTMLElement).closest('li');
  const to = event.key === 'ArrowRight' ? 'button' : event.key === 'ArrowLeft' ? 'a' : undefined;
  if (entry === null || to === undefined) return;
  event.preventDefault();
  entry.querySelector<HTMLElement>(to)?.focus();
}
