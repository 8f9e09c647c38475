import { compileRuleset, resolve } from '@fanion/flag-engine';
import { decodeEvaluations } from '@fanion/telemetry';
import { describe, expect, it } from 'vitest';
import { type EvaluationsEntry, Exposures, OutcomeUnknown } from './writer.ts';

const ruleset = compileRuleset({
  version: 1,
  environment: 'production',
  project: 'shop',
  flags: {
    a: {
      ...{ key: 'a', kind: 'boolean', version: 1, enabled: true, off_variant: 'off', salt: 's' },
      variants: [
        { key: 'on', value: true },
        { key: 'off', value: false },
      ],
      ...{ fallthrough: { variant: 'on' }, targets: [], rules: [], prerequisites: [] },
    },
  },
  segments: {},
});
const place = (environmentKey: string) => ({
  projectId: 'p',
  environmentId: `id of ${environmentKey}`,
  workspaceNumber: 7,
  projectNumber: 2,
  environmentKey,
});

function writing() {
  const entries: EvaluationsEntry[] = [];
  const warnings: string[] = [];
  const log = { room: true, answers: true };
  const exposures = new Exposures({
    async append(_project, entry) {
      if (!log.room) throw new Error('the write-ahead log is full');
      entries.push(entry);
      if (!log.answers) throw new OutcomeUnknown('the server has ended');
    },
    clock: { now: () => 1_000 },
    log: { warn: (_, message) => warnings.push(message) },
    // Only when the test flushes.
    flushMs: 3_600_000,
  });
  const see = (environment: string, times = 1) => {
    for (let i = 0; i < times; i++)
      exposures.saw(place(environment), ruleset, resolve(ruleset, 'a', {}), {}, undefined);
  };
  const counted = () =>
    entries.map(({ environment, body }) => [
      environment,
      decodeEvaluations(body).counted.reduce((sum, { count }) => sum + count, 0),
    ]);
  return { exposures, log, see, entries, counted, warnings };
}

describe('counts written to the log', () => {
  it('are one entry for each environment', async () => {
    const { exposures, see, entries, counted } = writing();
    see('production', 5);
    see('staging', 2);
    await exposures.flush();
    expect(counted()).toEqual([
      ['production', 5],
      ['staging', 2],
    ]);
    expect(entries[0]).toMatchObject({ workspace: 7, project: 2, items: 1, receivedAt: 1_000 });
    expect(exposures.stats()).toMatchObject({ counted: 7, logged: 7, lost: 0, unseen: 0, waitingBytes: 0 });
    await exposures.flush();
    expect(entries).toHaveLength(2);
    await exposures.stop();
  });

  it('wait in order while the log is full, and are reported', async () => {
    const { exposures, log, see, counted, warnings } = writing();
    log.room = false;
    see('production', 3);
    await exposures.flush();
    see('production', 4);
    await exposures.flush();
    expect(exposures.stats()).toMatchObject({ counted: 7, logged: 0, lost: 0 });
    expect(exposures.stats().waitingBytes).toBeGreaterThan(0);
    expect(warnings).toHaveLength(1);
    log.room = true;
    await exposures.stop();
    expect(counted()).toEqual([
      ['production', 3],
      ['production', 4],
    ]);
    expect(exposures.stats()).toMatchObject({ logged: 7, waitingBytes: 0 });
    expect(warnings).toHaveLength(1);
  });

  it('are not written again if nobody knows whether they were written', async () => {
    const { exposures, log, see, counted } = writing();
    log.answers = false;
    see('production', 3);
    await exposures.flush();
    expect(exposures.stats()).toMatchObject({ counted: 3, logged: 0, lost: 3, waitingBytes: 0 });
    log.answers = true;
    see('production', 4);
    await exposures.stop();
    expect(counted()).toEqual([
      ['production', 3],
      ['production', 4],
    ]);
    expect(exposures.stats()).toMatchObject({ logged: 4, lost: 3 });
  });

  it('are dropped and reported if the log stays full until the end', async () => {
    const { exposures, log, see, warnings } = writing();
    log.room = false;
    see('production', 3);
    await exposures.stop();
    expect(warnings.at(-1)).toMatch(/lost/);
  });
});
