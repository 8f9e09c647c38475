import { listFlags, listServices } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { listQuery } from '../api/queries.ts';
import { Modal, useComputedColorScheme, useMantineColorScheme } from '../ui/mantine.ts';
import { usePages } from './pages.ts';
import classes from './palette.module.css';
import { directly, rank } from './palette-match.ts';
import { useCan, useScope } from './session.ts';

interface Command {
  id: string;
  label: string;
  group: string;
  run: () => void;
}

/** ⌘K: finds pages, flags, services and actions by name. */
export function Palette({ opened, onClose, onHelp }: { opened: boolean; onClose: () => void; onHelp: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={560} yOffset="12vh">
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label="Command palette">
        <PaletteBody onClose={onClose} onHelp={onHelp} />
      </Modal.Content>
    </Modal.Root>
  );
}

function PaletteBody({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const commands = useCommands(onHelp);
  const direct = useDirectly(typed);
  const shown = useMemo(() => [...direct, ...rank(commands, typed)], [direct, commands, typed]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === 0) run(shown[active]);
    else setActive((old) => (shown.length === 0 ? 0 : (old + step + shown.length) % shown.length));
  };
  return (
    <>
      <input
        className={classes.input}
        placeholder="Go to a page, flag, service or trace id, or run a query"
        aria-label="Go to a page, flag or service"
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[active] ? `${id}-${shown[active].id}` : undefined}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
      />
      <div className={classes.list} role="listbox" id={`${id}-list`} aria-label="Results" ref={list}>
        {shown.map((command, index) => (
          <Option
            key={command.id}
            id={`${id}-${command.id}`}
            command={command}
            isActive={index === active}
            onPoint={() => setActive(index)}
            onRun={() => run(command)}
          />
        ))}
        {shown.length === 0 && <div className={classes.none}>No results</div>}
      </div>
    </>
  );
}

function Option({
  id,
  command: { label, group },
  isActive,
  onPoint,
  onRun,
}: {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint: () => void;
  onRun: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is handled by the input, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={classes.option}
      onMouseMove={onPoint}
      onClick={onRun}
    >
      <span className="truncate">{label}</span>
      <span className={classes.group}>{group}</span>
    </div>
  );
}

/** What the typed text is by itself: the id of a trace, or a query. */
function useDirectly(typed: string): Command[] {
  const scope = useScope();
  const navigate = useNavigate();
  return useMemo(() => {
    const found = directly(typed);
    if (found === undefined) return [];
    if (found.kind === 'trace') {
      const { traceId } = found;
      return [
        {
          id: 'trace',
          label: `Open trace ${traceId}`,
          group: 'Trace',
          run: () => void navigate({ to: '/w/$ws/$project/traces/$traceId', params: { ...scope, traceId } }),
        },
      ];
    }
    const { query } = found;
    return [
      {
        id: 'query',
        label: `Run ${query}`,
        group: 'Explore',
        run: () => void navigate({ to: '/w/$ws/$project/explore', params: scope, search: { q: query } }),
      },
    ];
  }, [typed, scope, navigate]);
}

function useCommands(onHelp: () => void): Command[] {
  const scope = useScope();
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const { setColorScheme } = useMantineColorScheme();
  const pages = usePages();
  const canFlags = useCan('flags:read');
  const { data: flags = [] } = useQuery({
    ...listQuery(listFlags, { params: { ws: scope.ws, p: scope.project } }),
    enabled: canFlags,
  });
  const { data: services = [] } = useQuery(
    listQuery(listServices, { query: { workspace: scope.ws, project: scope.project } }),
  );
  return useMemo(() => {
    const other = scheme === 'dark' ? 'light' : 'dark';
    return [
      ...pages.map(({ section, label, to }) => ({
        id: `${section === 'Settings' ? 'settings' : 'page'}-${label}`,
        label,
        group: section === 'Settings' ? 'Settings' : 'Page',
        run: () => void navigate({ to, params: scope }),
      })),
      {
        id: 'new-flag',
        label: 'Create flag',
        group: 'Action',
        run: () => void navigate({ to: '/w/$ws/$project/flags/new', params: scope }),
      },
      {
        id: 'new-segment',
        label: 'Create segment',
        group: 'Action',
        run: () => void navigate({ to: '/w/$ws/$project/segments/new', params: scope }),
      },
      { id: 'scheme', label: `Use ${other} colors`, group: 'Action', run: () => setColorScheme(other) },
      { id: 'help', label: 'Keyboard shortcuts', group: 'Action', run: onHelp },
      ...flags.map((flag) => ({
        id: `flag-${flag.key}`,
        label: flag.key,
        group: 'Flag',
        run: () => void navigate({ to: '/w/$ws/$project/flags/$key', params: { ...scope, key: flag.key } }),
      })),
      ...services.map((service) => ({
        id: `service-${service.name}`,
        label: service.name,
        group: 'Service',
        run: () =>
          void navigate({ to: '/w/$ws/$project/services/$service', params: { ...scope, service: service.name } }),
      })),
    ];
  }, [pages, scope, navigate, scheme, setColorScheme, onHelp, flags, services]);
}
