import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parse } from 'yaml';
import { Report } from '../../packages/cli/src/files/report.ts';
import { convertRules } from '../../packages/cli/src/prometheus-rules/convert.ts';
import { previewSlots } from '../../packages/server/src/features/alerting/alert-rules/preview-rules.ts';
import { nextSlot } from '../../packages/server/src/features/alerting/alert-rules/slot-rules.ts';
import { slotsOf } from '../../packages/server/src/features/alerting/alert-rules/spread.ts';
import { durationMs } from '../../packages/server/src/platform/durations.ts';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { differenceOfStates, fanionStates, previewStates, prometheusStates, type Transitions } from './alert-states.ts';
import { countSamples, differenceOf } from './compare.ts';
import { needsOf } from './needs.ts';
import { ask, eachOf, type Peer, send } from './peers.ts';
import { inOrder, type Rule, recordedSeries, ruleOf } from './recorded.ts';
import type { Day } from './samples.ts';
import { worldOf } from './world.ts';

/** What was seen of the rules of one file. */
export interface RuleFacts {
  readonly suite: string;
  rules: number;
  refused: number;
  asked: number;
  answered: number;
  equal: number;
  samples: number;
  alertRules: number;
  alerts: number;
  changes: number;
  fired: number;
  equalStates: number;
  readonly misses: string[];
}

export interface Peers {
  readonly prometheus: Peer;
  readonly fanion: Peer;
  readonly owner: SignedUp;
}

/** Samples of recording rules are apart from whole minutes too. */
const recordPhaseMs = 29_000;
const minuteMs = 60_000;
/** Before and after the moment that a preview is about, and its evaluations. */
const previewedMs = 5 * minuteMs;
const previewed = 12;

/** Imports rule files, and compares the answers and the states of their rules over a day. */
export async function runRules(files: readonly string[], peers: Peers, day: Day): Promise<readonly RuleFacts[]> {
  const report = new Report();
  const contents = await Promise.all(
    files.map(async (file) => ({ name: basename(file), content: parse(await readFile(file, 'utf8')) as unknown })),
  );
  const converted = convertRules(contents, { interval: '1m' }, report);
  const records = converted.recordingRules.map(({ where, content }) => ruleOf('record', where, content));
  const alerts = converted.alertRules.map(({ where, content }) => ruleOf('alert', where, content));
  const facts = new Map(contents.map(({ name, content }) => [name, factsOf(name, content, report)]));
  const recorded = new Set(records.map(({ name }) => name));
  const needs = needsOf([...records, ...alerts].map(({ expression }) => expression));
  const world = worldOf(
    [...needs.values()].filter(({ metric }) => !recorded.has(metric) && !metric.startsWith('ALERTS')),
    day,
  );
  console.error(`rules: ${world.length} series of ${needs.size} metrics`);
  await Promise.all([send(peers.prometheus, world), send(peers.fanion, world)]);
  for (const group of inOrder(records))
    await eachOf(group, (rule) => compareRecord(rule, peers, day, known(facts, rule)));
  await eachOf(alerts, (rule) => compareAlert(rule, peers, day, known(facts, rule)));
  return [...facts.values()];
}

function known(facts: ReadonlyMap<string, RuleFacts>, { suite }: Rule): RuleFacts {
  const found = facts.get(suite);
  if (found === undefined) throw new Error(`no facts of ${suite}`);
  return found;
}

function factsOf(suite: string, content: unknown, report: Report): RuleFacts {
  const { groups = [] } = (content as { spec: { groups?: { rules: unknown[] }[] } }).spec;
  const refused = report.notes.filter(
    ({ where, what }) => where.startsWith(suite) && what.includes('rule is left out'),
  );
  return {
    ...{ suite, rules: groups.reduce((sum, { rules }) => sum + rules.length, 0), refused: refused.length },
    ...{ asked: 0, answered: 0, equal: 0, samples: 0, alertRules: 0, alerts: 0, changes: 0, fired: 0, equalStates: 0 },
    misses: refused.map(({ where, what }) => `${where}: ${what}`),
  };
}

async function compareRecord(rule: Rule, peers: Peers, day: Day, facts: RuleFacts): Promise<void> {
  const range = { fromMs: day.fromMs + recordPhaseMs, toMs: day.toMs, stepMs: day.everyMs };
  const { prometheus } = await compareAnswers(rule, peers, range, facts);
  const times: number[] = [];
  for (let at = range.fromMs; at <= range.toMs; at += range.stepMs) times.push(at);
  if (typeof prometheus === 'string') return;
  const series = recordedSeries(rule, prometheus, times);
  if (series.length > 0) await Promise.all([send(peers.prometheus, series), send(peers.fanion, series)]);
}

async function compareAnswers(rule: Rule, peers: Peers, range: Parameters<typeof ask>[2], facts: RuleFacts) {
  const [prometheus, fanion] = await Promise.all([
    ask(peers.prometheus, rule.query, range),
    ask(peers.fanion, rule.query, range),
  ]);
  const difference = differenceOf(prometheus, fanion);
  if (process.env.SUITES_VERBOSE)
    console.error(new Date().toISOString(), rule.where, countSamples(prometheus), difference ?? 'equal');
  facts.asked++;
  facts.samples += countSamples(prometheus);
  if (countSamples(prometheus) > 0) facts.answered++;
  if (difference === undefined) facts.equal++;
  else facts.misses.push(`${rule.where}: ${difference}`);
  return { prometheus, fanion };
}

async function compareAlert(rule: Rule, peers: Peers, day: Day, facts: RuleFacts): Promise<void> {
  const everyMs = durationMs(String(rule.content.every));
  const slots = slotsOf(rule.name, everyMs);
  const times: number[] = [];
  for (let at = nextSlot(slots, day.fromMs); at <= day.toMs; at += everyMs) times.push(at);
  const range = { fromMs: times[0] ?? day.fromMs, toMs: times.at(-1) ?? day.toMs, stepMs: everyMs };
  const { prometheus, fanion } = await compareAnswers(rule, peers, range, facts);
  facts.alertRules++;
  if (typeof prometheus === 'string' || typeof fanion === 'string') return;
  const expected = prometheusStates(prometheus, times, waitsOf(rule), rule.labels);
  const actual = fanionStates(fanion, times, { everyMs, ...waitsOf(rule) }, rule.labels);
  facts.alerts += expected.size;
  facts.fired += [...expected.values()].filter(hasFired).length;
  facts.changes += [...expected.values()].reduce((sum, { length }) => sum + length, 0);
  const difference = differenceOfStates(expected, actual) ?? (await differenceOfPreview(rule, expected, peers));
  if (difference === undefined) facts.equalStates++;
  else facts.misses.push(`${rule.where}, states: ${difference}`);
}

const hasFired = (transitions: Transitions) => transitions.some(([, state]) => state === 'firing');

function waitsOf({ content }: Rule): { readonly forMs: number; readonly keepMs: number } {
  const { for: waits = '0s', keep_firing_for = '0s' } = content.condition as Record<string, string | undefined>;
  return { forMs: durationMs(waits), keepMs: durationMs(keep_firing_for) };
}

/** The preview of the server around the first time that an alert fires, with few evaluations, since each is a query of its own. */
async function differenceOfPreview(
  rule: Rule,
  states: ReadonlyMap<string, Transitions>,
  peers: Peers,
): Promise<string | undefined> {
  const [first] = [...states.values()].filter(hasFired);
  const firedAt = first?.find(([, state]) => state === 'firing')?.[0];
  if (firedAt === undefined) return undefined;
  const { forMs } = waitsOf(rule);
  const [fromMs, toMs] = [firedAt - forMs - previewedMs, firedAt + previewedMs];
  const every = `${Math.ceil((toMs - fromMs) / minuteMs / previewed)}m`;
  const slots = previewSlots(slotsOf(rule.name, durationMs(every)), fromMs, toMs);
  const [from = 0, to = 0] = [slots.times[0], slots.times.at(-1)];
  const expected = await ask(peers.prometheus, rule.query, { fromMs: from, toMs: to, stepMs: slots.stepMs });
  if (typeof expected === 'string') return expected;
  const { status, data, text } = await peers.owner.post(`${peers.owner.workspace}/alert-rules/preview`, {
    ...rule.content,
    ...{ every, offset: '0s', project: 'default' },
    ...{ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
  });
  if (status !== 200) return text;
  if (data.failed > 0) return `${data.failed} evaluations of the preview failed: ${data.error}`;
  const stepped = prometheusStates(expected, slots.times, waitsOf(rule), rule.labels);
  const difference = differenceOfStates(stepped, previewStates(data.instances));
  return difference && `preview: ${difference}`;
}
