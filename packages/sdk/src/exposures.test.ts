import type { Evaluation } from '@fanion/flag-engine';
import { OpenFeature } from '@openfeature/server-sdk';
import { logs } from '@opentelemetry/api-logs';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { afterEach, describe, expect, it } from 'vitest';
import { createExposures } from './exposures.ts';
import type { ExposureRecord } from './options.ts';
import { FanionProvider } from './provider.ts';
import { startFlagServer } from './testing/flag-server.ts';
import { booleanFlag, rulesetOf } from './testing/rulesets.ts';

const served: Evaluation = {
  key: 'a',
  value: true,
  variant: 'on',
  reason: 'TRACKED_ROLLOUT',
  flag_version: 3,
  tracked: true,
};

function recorder({ windowMs = 1_000, maxEntries = 100 } = {}) {
  const records: ExposureRecord[] = [];
  let now = 0;
  const logger = { emit: (record: ExposureRecord) => records.push(record) };
  const report = createExposures({ logger, windowMs, maxEntries }, 'fanion', () => now);
  return {
    records,
    at(ms: number, unit: string | undefined, evaluation: Partial<Evaluation> = {}) {
      now = ms;
      report({ evaluation: { ...served, ...evaluation }, unit, flagSetId: 'shop/production' });
      return records.length;
    },
  };
}

describe('exposures', () => {
  it('follow the semantic conventions', () => {
    const { at, records } = recorder();
    at(0, 'user-1');
    expect(records).toEqual([
      {
        eventName: 'feature_flag.evaluation',
        severityNumber: 9,
        attributes: {
          'feature_flag.key': 'a',
          'feature_flag.result.variant': 'on',
          'feature_flag.result.reason': 'split',
          'feature_flag.provider.name': 'fanion',
          'feature_flag.set.id': 'shop/production',
          'feature_flag.version': '3',
          'feature_flag.context.id': 'user-1',
        },
      },
    ]);
  });

  it('say in the version that a unit of a tracked rollout is not measured', () => {
    const { at, records } = recorder();
    at(0, 'user-1', { tracked: false });
    expect(records[0]?.attributes).toMatchObject({
      'feature_flag.result.reason': 'split',
      'feature_flag.version': '3+untracked',
    });
  });

  it('are reported once per flag, variant, unit and version in a window', () => {
    const { at } = recorder();
    expect(at(0, 'user-1')).toBe(1);
    expect(at(1, 'user-1')).toBe(1);
    expect(at(2, 'user-2')).toBe(2);
    expect(at(3, 'user-1', { variant: 'off' })).toBe(3);
    expect(at(4, 'user-1', { flag_version: 4 })).toBe(4);
    expect(at(5, 'user-1', { key: 'b' })).toBe(5);
    expect(at(6, undefined)).toBe(6);
    expect(at(7, 'user-1', { reason: 'FALLTHROUGH' })).toBe(6);
    expect(at(999, 'user-1')).toBe(6);
    expect(at(1_000, 'user-1')).toBe(7);
    expect(at(1_999, 'user-1')).toBe(7);
  });

  it('distinguish long units', () => {
    const { at } = recorder();
    const long = 'x'.repeat(100_000);
    expect([at(0, `${long}1`), at(0, `${long}2`), at(0, `${long}1`)]).toEqual([1, 2, 2]);
  });

  it('forget the oldest beyond the limit, and no more', () => {
    const { at } = recorder({ maxEntries: 2 });
    expect([at(0, 'a'), at(1, 'b'), at(2, 'c')]).toEqual([1, 2, 3]);
    expect([at(3, 'b'), at(4, 'c'), at(5, 'a')]).toEqual([3, 3, 4]);
  });

  it('are not reported for failed evaluations', () => {
    const error = { code: 'PARSE_ERROR', message: 'malformed' } as const;
    expect(recorder().at(0, 'user-1', { variant: null, reason: 'ERROR', error })).toBe(0);
  });

  it('report a code default with its reason and without a variant', () => {
    const { at, records } = recorder();
    at(0, 'user-1', { value: null, variant: null, reason: 'OFF' });
    expect(records[0]?.attributes).toMatchObject({ 'feature_flag.result.reason': 'disabled' });
    expect(records[0]?.attributes).not.toHaveProperty('feature_flag.result.variant');
  });
});

describe('through the provider', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function started(exposures: ConstructorParameters<typeof FanionProvider>[0]['exposures'], warn = () => {}) {
    const server = await startFlagServer(rulesetOf(1, booleanFlag('a', true)));
    const provider = new FanionProvider({ endpoint: server.endpoint, sdkKey: server.key, exposures, logger: { warn } });
    cleanups.push(
      () => server.stop(),
      () => OpenFeature.clearProviders(),
    );
    await OpenFeature.setProviderAndWait(provider);
    return OpenFeature.getClient();
  }

  it("use OpenTelemetry's logger unchanged", async () => {
    const exporter = new InMemoryLogRecordExporter();
    const loggers = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
    cleanups.push(() => loggers.shutdown());
    const client = await started({ logger: loggers.getLogger('fanion') });
    await client.getBooleanValue('a', false, { targetingKey: 'user-1' });
    await client.getBooleanValue('a', false, { targetingKey: 'user-1' });
    await client.getStringValue('a', 'of the wrong type', { targetingKey: 'user-2' });
    await client.getBooleanValue('none', false, { targetingKey: 'user-1' });
    const records = exporter.getFinishedLogRecords();
    expect(records.map((record) => [record.eventName, record.attributes['feature_flag.context.id']])).toEqual([
      ['feature_flag.evaluation', 'user-1'],
    ]);
  });

  it('accept the global no-op logger, and one that throws', async () => {
    await started({ logger: logs.getLogger('fanion') });
    let warnings = 0;
    const emit = () => {
      throw new Error('broken');
    };
    const client = await started({ logger: { emit } }, () => warnings++);
    expect(await client.getBooleanValue('a', false, { targetingKey: '1' })).toBe(true);
    expect(await client.getBooleanValue('a', false, { targetingKey: '2' })).toBe(true);
    expect(warnings).toBe(1);
  });
});
