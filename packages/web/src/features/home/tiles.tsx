import type { Tone } from '../../alerting/states.ts';
import type { Firing } from '../../alerting/use-firing.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { countOf } from '../../ui/format/index.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import type { Budgets } from './budgets-panel.tsx';
import { type JudgedService, SHOWN } from './health.ts';
import classes from './home.module.css';
import type { RollingOut } from './rolling-out-panel.tsx';

/** The four numbers that say whether somebody is needed, readable from a distance. */
export function Tiles({
  services,
  firing,
  budgets,
  rollouts,
}: {
  services: readonly JudgedService[] | undefined;
  firing: Firing;
  budgets: Budgets;
  rollouts: RollingOut;
}) {
  const list = useOneStop<HTMLUListElement>();
  const unhealthy = services?.filter(({ state }) => SHOWN[state.tone].tone !== 'ok');
  const isBad = unhealthy?.some(({ state }) => SHOWN[state.tone].tone === 'firing');
  const burning = budgets.burning;
  const running = rollouts.rows;
  const waiting = running?.filter(({ isPaused }) => isPaused).length ?? 0;
  return (
    <ul ref={list} className={classes.tiles} aria-label="State of the project">
      <Tile tone={toneOf(unhealthy?.length, isBad ? 'firing' : 'pending')} count={unhealthy?.length}>
        <ScopeLink to="/w/$ws/$project/services">
          unhealthy {services && `of ${countOf(services.length, 'service')}`}
        </ScopeLink>
      </Tile>
      <Tile
        tone={toneOf(firing.isPending ? undefined : firing.alerts.length, 'firing')}
        count={firing.isPending ? undefined : firing.alerts.length}
      >
        <ScopeLink to="/w/$ws/$project/alerts">
          {firing.alerts.length === 1 ? 'firing alert' : 'firing alerts'}
        </ScopeLink>
      </Tile>
      <Tile
        tone={toneOf(burning?.length, burning?.some(({ tone }) => tone === 'firing') ? 'firing' : 'pending')}
        count={burning?.length}
      >
        <ScopeLink to="/w/$ws/$project/slos">
          {burning?.length === 1 ? 'error budget burns' : 'error budgets burn'}
        </ScopeLink>
      </Tile>
      <Tile tone={waiting > 0 ? 'pending' : 'off'} count={running?.length}>
        <ScopeLink to="/w/$ws/$project/releases">rolling out{waiting > 0 && `, ${waiting} paused`}</ScopeLink>
      </Tile>
    </ul>
  );
}

function toneOf(count: number | undefined, bad: Tone): Tone {
  return count === undefined ? 'off' : count > 0 ? bad : 'ok';
}

function Tile({ tone, count, children }: { tone: Tone; count: number | undefined; children: React.ReactNode }) {
  return (
    <li className={classes.tile} data-tone={tone}>
      <span className={classes.count}>{count ?? <span className={classes.blank} />}</span>
      {children}
    </li>
  );
}
