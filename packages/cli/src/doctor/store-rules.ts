import type { ServerFacts, StoreFacts } from './facts.ts';
import { type Finding, isOlder, ok, warning, wrong } from './finding.ts';

/** Alerts and time windows are wrong by so much when clocks differ. */
const clockToleranceMs = 5_000;

/** @param dependency its name in the answer of `/readyz` */
export function storeFindings(check: string, dependency: string, store: StoreFacts, server: ServerFacts): Finding[] {
  if (store.kind === 'external') return externalFindings(check, store);
  if (!server.isUp) return [warning(check, 'embedded; the server runs it, and is down', 'start the server')];
  const state = server.dependencies.find(({ name }) => name === dependency);
  if (state === undefined) return [warning(check, 'the server does not name it', 'see /readyz of the server')];
  const found = `${state.status}${state.detail === undefined ? '' : ` (${state.detail})`}`;
  if (state.status === 'up') return [ok(check, found)];
  const mend = 'see the log of the server; it restarts an embedded store by itself';
  return [state.status === 'degraded' ? warning(check, found, mend) : wrong(check, found, mend)];
}

function externalFindings(check: string, store: Extract<StoreFacts, { kind: 'external' }>): Finding[] {
  if (store.problem !== undefined)
    return [wrong(check, store.problem, `start it, and check the address and the password in ${store.variable}`)];
  const { product, version, least, mayMigrate, aheadMs, variable } = store;
  const found = `${product} ${version}`;
  const mend = `grant the user of ${variable} what docs/guides/running-with-postgres-and-clickhouse.md names`;
  const state = isOlder(version, least)
    ? wrong(check, found, `upgrade to ${product} ${least} or newer`)
    : mayMigrate === false
      ? wrong(check, `${found}: the user must not create tables, insert and select`, mend)
      : ok(check, found);
  return [state, clockFinding(product, aheadMs)];
}

/** @param aheadMs how much the other clock is ahead of this one */
export function clockFinding(of: string, aheadMs: number): Finding {
  const check = `clock of ${of}`;
  const seconds = Math.round(aheadMs / 100) / 10;
  if (Math.abs(aheadMs) <= clockToleranceMs) return ok(check, 'agrees with the clock of this machine');
  const found = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine`;
  return warning(check, found, 'synchronize the clocks of both machines with NTP');
}

/** Whether the server trusts its own clock, which it compares with PostgreSQL's. */
export function trustFindings(server: Extract<ServerFacts, { isUp: true }>): Finding[] {
  const state = server.dependencies.find(({ name }) => name === 'clock');
  if (state === undefined) return [];
  const check = 'clocks of server and PostgreSQL';
  if (state.status === 'up') return [ok(check, 'agree')];
  return [wrong(check, state.detail ?? state.status, 'synchronize the clocks of both machines with NTP')];
}
