import { type Fields, fieldsOf, isFields, listOf, yamlTextOf } from '../files/fields.ts';
import { durationText, prometheusDurationMs } from '../files/prometheus-durations.ts';
import { NoEqual, NotThisFormat, type Report } from '../files/report.ts';
import { intervalsOf } from './intervals.ts';
import { everyAlert, matchersOf } from './matchers.ts';
import { type ConvertedChannel, channelsOf } from './receivers.ts';

/** A configuration of Alertmanager as the contents of files. */
export interface ConvertedConfig {
  readonly channels: readonly ConvertedChannel[];
  readonly routing: Fields;
  readonly inhibitionRules: readonly Fields[];
  readonly counts: { readonly routes: number; readonly intervals: number };
}

/** The server refuses deeper trees. */
const maxDepth = 50;
const settings = [
  'global',
  'templates',
  'route',
  'receivers',
  'inhibit_rules',
  'time_intervals',
  'mute_time_intervals',
];

/**
 * Converts a configuration of Alertmanager 0.x. What has no equivalent is reported.
 *
 * @throws NotThisFormat
 */
export function convertAlertmanager(content: unknown, report: Report): ConvertedConfig {
  if (!isFields(content) || !isFields(content.route))
    throw new NotThisFormat('this is not a configuration of Alertmanager: it has no `route`');
  for (const name of Object.keys(content)) if (!settings.includes(name)) report.lost(name, 'is unknown here');
  const global = fieldsOf(content.global);
  tellGlobal(global, report);
  const templates = listOf(content.templates);
  if (templates.length > 0)
    report.lost(
      'templates',
      `${templates.map(String).join(', ')}: messages have a form of their own; texts of alerts are annotations of rules`,
    );
  const intervals = intervalsOf(content, report);
  const { byReceiver, channels } = channelsOf(listOf(content.receivers).map(fieldsOf), global, report);
  const tree = new RouteTree(byReceiver, intervals, report);
  const routing = tree.root(content.route);
  const inhibitionRules = listOf(content.inhibit_rules).flatMap((rule, i) => {
    const converted = inhibitionOf(fieldsOf(rule), i, report);
    return converted === undefined ? [] : [converted];
  });
  return { channels, routing, inhibitionRules, counts: { routes: tree.count, intervals: intervals.size } };
}

/** Settings of all receivers that no channel takes over. */
function tellGlobal(global: Fields, report: Report): void {
  const isSmtp = (name: string) => name.startsWith('smtp_') || name === 'smarthost';
  const taken =
    /^(slack_api_url|slack_api_url_file|pagerduty_url|opsgenie_api_url|opsgenie_api_key|telegram_api_url|telegram_bot_token|http_config)$/;
  for (const name of Object.keys(global)) {
    if (name === 'resolve_timeout') report.changed('global.resolve_timeout', 'an alert resolves when its rule says so');
    else if (isSmtp(name)) report.changed(`global.${name}`, 'configure the mail server with FANION_SMTP_URL');
    else if (!taken.test(name)) report.lost(`global.${name}`, 'has no equivalent');
  }
}

class RouteTree {
  readonly #receivers: ReadonlyMap<string, readonly string[]>;
  readonly #intervals: ReadonlyMap<string, readonly object[]>;
  readonly #report: Report;
  /** Routes that were converted. */
  count = 0;

  constructor(
    receivers: ReadonlyMap<string, readonly string[]>,
    intervals: ReadonlyMap<string, readonly object[]>,
    report: Report,
  ) {
    this.#receivers = receivers;
    this.#intervals = intervals;
    this.#report = report;
  }

  root(route: Fields): Fields {
    const where = 'route';
    if (route.continue === true) this.#report.changed(where, 'continue means nothing at the root');
    if (this.#attemptMatchers(route, where)?.length !== 0)
      this.#report.lost(where, 'matchers at the root: every alert enters there');
    const receiver = yamlTextOf(route.receiver);
    if (receiver === undefined) this.#report.changed(where, 'it names no receiver, so nobody is notified by default');
    this.count++;
    return {
      channels: receiver === undefined ? [] : this.#channels(receiver, where),
      ...this.#settings(route, where),
      ...this.#children(route, where, 1),
    };
  }

  #children(route: Fields, where: string, depth: number): Fields {
    const routes = listOf(route.routes);
    if (routes.length > 0 && depth > maxDepth)
      throw new NotThisFormat(`routes are nested more than ${maxDepth} levels deep`);
    const policies = routes.flatMap((child, i) => {
      const converted = this.#node(fieldsOf(child), `${where}.routes[${i}]`, depth);
      return converted === undefined ? [] : [converted];
    });
    return policies.length === 0 ? {} : { policies };
  }

  #node(route: Fields, where: string, depth: number): Fields | undefined {
    // A route that matches more than it did would take alerts from the routes after it.
    const matchers = this.#attemptMatchers(route, where);
    if (matchers === undefined) return undefined;
    if (matchers.length === 0) this.#report.changed(where, `it has no matchers, so it gets ${everyAlert}`);
    const receiver = yamlTextOf(route.receiver);
    this.count++;
    return {
      name: (receiver ?? (matchers.join(' ') || 'All')).slice(0, 200),
      matchers: matchers.length === 0 ? [everyAlert] : matchers,
      ...(receiver !== undefined && { channels: this.#channels(receiver, where) }),
      ...(route.continue === true && { continue: true }),
      ...this.#settings(route, where),
      ...this.#children(route, where, depth + 1),
    };
  }

  #attemptMatchers(route: Fields, where: string): string[] | undefined {
    return this.#report.attempt(where, 'the route and those below it are left out', () => matchersOf(route));
  }

  #channels(receiver: string, where: string): readonly string[] {
    const channels = this.#receivers.get(receiver);
    if (channels === undefined) this.#report.lost(where, `there is no receiver ${receiver}, so it notifies nobody`);
    return channels ?? [];
  }

  #settings(route: Fields, where: string): Fields {
    const known =
      'receiver routes match match_re matchers continue group_by group_wait group_interval repeat_interval mute_time_intervals active_time_intervals';
    for (const name of Object.keys(route))
      if (!known.split(' ').includes(name)) this.#report.lost(where, `${name} is unknown here`);
    const durations = (['group_wait', 'group_interval', 'repeat_interval'] as const).flatMap((name) => {
      const text = yamlTextOf(route[name]);
      if (text === undefined) return [];
      const duration = this.#report.attempt(`${where}.${name}`, 'the default is used', () =>
        this.#within(name, prometheusDurationMs(text), where),
      );
      return duration === undefined ? [] : [[name, duration] as const];
    });
    const groupBy = listOf(route.group_by).map((label) => yamlTextOf(label) ?? '');
    return {
      ...(groupBy.length > 0 && { group_by: groupBy }),
      ...Object.fromEntries(durations),
      ...this.#named(route, 'mute_time_intervals', 'mute', where),
      ...this.#named(route, 'active_time_intervals', 'active', where),
    };
  }

  #within(name: string, ms: number, where: string): string {
    const mostMs = name === 'repeat_interval' ? 30 * 86_400_000 : 86_400_000;
    if (ms <= mostMs) return durationText(ms);
    const most = durationText(mostMs);
    this.#report.changed(`${where}.${name}`, `${durationText(ms)} is longer than the limit: ${most}`);
    return most;
  }

  #named(route: Fields, field: string, name: 'mute' | 'active', where: string): Fields {
    const names = listOf(route[field]).map((one) => yamlTextOf(one) ?? '');
    const intervals = names.flatMap((one) => {
      const found = this.#intervals.get(one);
      if (found === undefined) this.#report.lost(`${where}.${field}`, `there is no time interval ${one}`);
      return found ?? [];
    });
    return intervals.length === 0 ? {} : { [name]: intervals };
  }
}

function inhibitionOf(rule: Fields, i: number, report: Report): Fields | undefined {
  const name = yamlTextOf(rule.name) ?? `Inhibition rule ${i + 1}`;
  const where = `inhibit_rules[${i}]`;
  return report.attempt(where, 'the rule is left out', () => {
    if (rule.sources !== undefined) throw new NoEqual('it has several sources');
    const [source, target] = [matchersOf(rule, 'source_'), matchersOf(rule, 'target_')];
    for (const side of [source, target])
      if (side.length === 0) {
        side.push(everyAlert);
        report.changed(where, `a side without matchers gets ${everyAlert}`);
      }
    return { name, source, target, equal: listOf(rule.equal).map((label) => yamlTextOf(label) ?? '') };
  });
}
