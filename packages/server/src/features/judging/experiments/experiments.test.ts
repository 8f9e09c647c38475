import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { addMember, signUp, testClient, until } from '../../../testing/test-client.ts';
import { sharedTestServer } from '../../../testing/test-server.ts';
import { resultsJob } from './job.ts';
import { controlForAll, useExperiments } from './testing/experiment-world.ts';

const kit = useExperiments();
const { experiments, flagPath, newFlag, draftOf, newDraft, running, stop, codeOf, expose, arms } = kit;
let ada: typeof kit.ada;
beforeAll(() => {
  ada = kit.ada;
});

describe('an experiment', () => {
  it('splits its flag, measures it, and applies its winner once', async () => {
    const { id, startedAt } = await running('whole');
    const one = `${experiments()}/${id}`;
    const sdk = testClient(kit.world.base, { bearer: await ada.sdkKey() });
    const evaluate = async (unit: string) =>
      (await sdk.post('/api/v1/sdk/flags/evaluate/whole', { context: { targetingKey: unit } })).data;
    await until(async () => (await evaluate('probe')).reason === 'TRACKED_ROLLOUT');
    const ramp = { variant: 'true', steps: [{ weight: 10_000, hold: '1h' }] };
    expect((await ada.post(`${flagPath('whole')}/ramp`, ramp)).status).toBe(409);
    const targeting = (await ada.get(flagPath('whole'))).data;
    expect(targeting.holder).toEqual({ kind: 'experiment', id });

    await expose('whole', startedAt, arms('whole', 600, { false: 0.3, true: 0.45 }));
    // The probe was evaluated too, and is stored by and by.
    await until(async () => (await ada.get(`${one}/results?refresh=true`)).data.health.exposures === 1_201);
    const results = (await ada.get(`${one}/results`)).data;
    expect(results).toMatchObject({
      state: 'running',
      frozen: false,
      reliable: true,
      health: { sample_ratio: { ok: true } },
    });
    const [{ variants, ...metric }] = results.metrics;
    const { id: metricId } = (await ada.get(`${ada.project}/metrics/bought`)).data;
    expect(metric).toMatchObject({ metric: metricId, key: 'bought', name: 'Bought', kind: 'conversion', role: 'goal' });
    const treatment = variants.find(({ variant }: { variant: string }) => variant === 'true');
    const [a, b] = [180 / variants[0].n, 270 / treatment.n];
    expect(treatment).toMatchObject({ significant: true, verdict: 'better' });
    expect(treatment.absolute.difference).toBeCloseTo(b - a, 10);
    const error = Math.sqrt((a * (1 - a)) / variants[0].n + (b * (1 - b)) / treatment.n);
    const [low, high] = treatment.absolute.interval;
    expect((high - low) / 2 / error).toBeCloseTo(1.962, 2);
    expect(treatment.lift).toBeCloseTo(b / a - 1, 10);

    expect(codeOf(await ada.post(`${one}/apply-winner`, { variant: 'true' }))).toEqual([409, 'SVC-7134']);
    expect((await ada.post(`${one}/stop`)).data.state).toBe('stopped');
    expect((await ada.get(flagPath('whole'))).data.fallthrough).toEqual({ variant: 'false' });
    expect((await ada.get(`${one}/results`)).data.metrics[0].variants[1].n).toBe(treatment.n);
    const days = (await ada.get(`${one}/results/timeseries?metric=bought`)).data;
    expect(days.at(-1)).toMatchObject({ metric: results.metrics[0].metric, variant: 'true', n: treatment.n });

    const won = await ada.post(`${one}/apply-winner`, { variant: 'true' });
    expect(won.status, won.text).toBe(200);
    const { version } = (await ada.get(flagPath('whole'))).data;
    const again = await ada.post(`${one}/apply-winner`, { variant: 'true' });
    expect(again.data).toMatchObject({ winner: 'true', version: won.data.version });
    expect((await ada.get(flagPath('whole'))).data).toMatchObject({ fallthrough: { variant: 'true' }, version });
    expect(codeOf(await ada.post(`${one}/apply-winner`, { variant: 'false' }))).toEqual([409, 'SVC-7134']);
    expect((await ada.post(`${one}/archive`)).data.state).toBe('archived');
    expect((await ada.get(`${one}/results`)).data.metrics).toHaveLength(1);
    const audit = (await ada.get(`/api/v1/audit?workspace=${ada.workspaceId}&limit=100`)).data as { action: string }[];
    for (const action of ['create', 'start', 'stop', 'apply_winner', 'archive'])
      expect(audit.map((entry) => entry.action)).toContain(`experiments.${action}`);
  });

  it('splits only its audience, and begins a phase with another one', async () => {
    const segment = { key: 'beta', name: 'Beta', included: ['in-beta'], excluded: [], rules: [] };
    expect((await ada.post(`${ada.project}/segments`, segment)).status).toBe(201);
    const audience = [{ attribute: 'country', op: 'in', values: ['DE'], negate: false }];
    const { id } = await running('narrow', { audience });
    const evaluate = async (targetingKey: string, country: string) => {
      const context = { targetingKey, country };
      return (await ada.post(`${flagPath('narrow')}/evaluate`, { context })).data;
    };
    expect(await evaluate('u', 'DE')).toMatchObject({ reason: 'TRACKED_ROLLOUT', rule_id: id });
    expect(await evaluate('u', 'FR')).toMatchObject({ reason: 'FALLTHROUGH', variant: 'false' });
    const rollout = (await ada.get(`${flagPath('narrow')}/rollout`)).data;
    expect(rollout.sample_ratio).toMatchObject({ ok: true });
    const inSegment = [{ op: 'in_segment', values: ['beta'], negate: false }];
    const phase = await ada.post(`${experiments()}/${id}/phases`, { audience: inSegment });
    expect(phase.status, phase.text).toBe(200);
    expect(phase.data.phases.map((one: { audience: unknown }) => one.audience)).toEqual([audience, inSegment]);
    expect(await evaluate('in-beta', 'FR')).toMatchObject({ reason: 'TRACKED_ROLLOUT' });
    expect(await evaluate('u', 'DE')).toMatchObject({ reason: 'FALLTHROUGH' });
    // What serves a flag cannot be deleted meanwhile.
    expect((await ada.del(`${ada.project}/segments/beta`)).status).toBe(409);
    await stop(id);
    expect(await evaluate('in-beta', 'FR')).toMatchObject({ reason: 'FALLTHROUGH' });
    expect((await ada.del(`${ada.project}/segments/beta`)).status).toBe(204);
  });

  it('is replaced only by a request that names its version', async () => {
    const { id, version } = await newDraft('replaced');
    const { key: _, ...body } = draftOf('replaced', { hypothesis: 'it helps' });
    expect((await ada.put(`${experiments()}/${id}`, body)).status).toBe(422);
    expect((await ada.put(`${experiments()}/${id}`, { ...body, version })).data).toMatchObject({
      hypothesis: 'it helps',
    });
    expect((await ada.put(`${experiments()}/${id}`, { ...body, version })).status).toBe(409);
  });

  it('shows results that an earlier version kept', async () => {
    const { id } = await running('kept');
    expect((await ada.get(`${experiments()}/${id}/results?refresh=true`)).status).toBe(200);
    const server = await sharedTestServer();
    await sql`UPDATE experiment_results SET results = jsonb_set(results, '{metrics}', (SELECT jsonb_agg(
      (m - 'key' - 'name' - 'kind' - 'direction') || jsonb_build_object('metric', jsonb_build_object('id', m->'metric', 'key', m->'key', 'name', m->'name',
      'kind', m->'kind', 'direction', m->'direction'))) FROM jsonb_array_elements(results->'metrics') AS m)) WHERE experiment_id = ${id}`.execute(
      server.db,
    );
    const [metric] = (await ada.get(`${experiments()}/${id}/results`)).data.metrics;
    const { id: metricId } = (await ada.get(`${ada.project}/metrics/bought`)).data;
    expect(metric).toMatchObject({ metric: metricId, key: 'bought', name: 'Bought', kind: 'conversion' });
    await stop(id);
  });

  it('leaves out crossed units, and marks a split that is not as intended', async () => {
    const { id, startedAt } = await running('crossing');
    const one = `${experiments()}/${id}/results?refresh=true`;
    expect((await ada.get(one)).data.health.warnings).toEqual([expect.stringContaining('No exposures')]);
    await expose('crossing', startedAt, [
      ...arms('crossing', 100, { false: 0.2, true: 0.2 }),
      ...Array.from({ length: 9 }, (_, i) => ({ unit: `crossing-false-${i}`, variant: 'true' })),
    ]);
    const { health } = (await ada.get(one)).data;
    expect(health).toMatchObject({
      exposures: 191,
      crossed_units: 9,
      sample_ratio: { ok: true, observed: { false: 91, true: 100 } },
    });
    await expose(
      'crossing',
      startedAt,
      Array.from({ length: 300 }, (_, i) => ({ unit: `more-${i}`, variant: 'true' })),
    );
    const skewed = (await ada.get(one)).data;
    expect(skewed).toMatchObject({ reliable: false, health: { sample_ratio: { ok: false } } });
    expect(skewed.metrics[0].variants[1]).toMatchObject({ significant: false, verdict: 'unreliable' });
  });

  it('counts exposures from its start only', async () => {
    const { id, startedAt } = await running('early');
    await expose('early', startedAt - 3_600_000, arms('early', 20, { false: 0, true: 0 }));
    const { health } = (await ada.get(`${experiments()}/${id}/results?refresh=true`)).data;
    expect(health).toMatchObject({ exposures: 0, before_start: 40 });
    expect(health.warnings).toContainEqual(expect.stringContaining('40 units were in a split'));
  });

  it('says that units in all arms, or clocks an hour ahead, are why nobody counts', async () => {
    const { id, startedAt } = await running('everywhere');
    const one = `${experiments()}/${id}/results?refresh=true`;
    const all = arms('everywhere', 20, { false: 1 });
    await expose('everywhere', startedAt, [...all, ...all.map((unit) => ({ ...unit, variant: 'true' }))]);
    const crossed = (await ada.get(one)).data;
    expect(crossed.health).toMatchObject({ exposures: 0, crossed_units: 20, crossed_share: 1 });
    expect(crossed.health.warnings).toEqual([expect.stringContaining('100.0 % of the units')]);
    expect(crossed.metrics[0].variants[1]).toMatchObject({ n: 0, verdict: 'too_few_data' });
    const fast = await running('ahead');
    await expose('ahead', fast.startedAt + 3_600_000, arms('ahead', 20, { false: 0.5, true: 0.5 }));
    const { health } = (await ada.get(`${experiments()}/${fast.id}/results?refresh=true`)).data;
    expect(health).toMatchObject({ exposures: 0, ahead: 40 });
    expect(health.warnings).toEqual([expect.stringContaining('Set the clocks')]);
    await stop(id, fast.id);
  });

  it('measures its metrics as they were at its start, and names those that never join', async () => {
    const metric = { key: 'drifting', name: 'Drifting', kind: 'conversion', unit: 'user.id' };
    const bought = 'logs | where body == "bought"';
    const created = await ada.post(`${ada.project}/metrics`, { ...metric, source: bought });
    const unjoined = { ...metric, key: 'unjoined', name: 'Unjoined', source: bought, unit: 'session.id' };
    expect((await ada.post(`${ada.project}/metrics`, unjoined)).status).toBe(201);
    const { id, startedAt } = await running('drifted', { metrics: { goals: ['drifting', 'unjoined'] } });
    const other = { ...metric, source: 'logs | where body == "something else"', version: 1 };
    expect((await ada.put(`${ada.project}/metrics/${created.data.id}`, other)).status).toBe(200);
    await expose('drifted', startedAt, arms('drifted', 50, { false: 0.4, true: 0.6 }));
    const one = `${experiments()}/${id}/results?refresh=true`;
    const { health, metrics } = (await ada.get(one)).data;
    const means = (all: readonly { variants: { mean: number }[] }[]) => all[0]?.variants.map(({ mean }) => mean);
    expect(means(metrics)).toEqual([0.4, 0.6]);
    expect(metrics[1].variants[1]).toMatchObject({ n: 50, mean: 0, significant: false, verdict: 'too_few_data' });
    expect(health.warnings).toEqual([expect.stringMatching(/^No unit has a row of Unjoined\. /)]);
    expect((await ada.del(`${ada.project}/metrics/${created.data.id}`)).status).toBe(204);
    expect(means((await ada.get(one)).data.metrics)).toEqual([0.4, 0.6]);
    await stop(id);
  });

  it('keeps a person from changing its split, and counts on when they change the rest', async () => {
    const { id } = await running('edited');
    const { version } = (await ada.get(flagPath('edited'))).data;
    const rest = { enabled: true, off_variant: 'false', targets: [], rules: [] };
    const write = (change: object) => ada.put(flagPath('edited'), { ...rest, version, ...change });
    expect(codeOf(await write({ fallthrough: { variant: 'true' } }))).toEqual([409, 'SVC-7132']);
    const targets = [{ variant: 'true', values: ['tester'] }];
    expect((await write({ fallthrough: { variant: 'false' }, targets })).status).toBe(200);
    expect((await ada.get(flagPath('edited'))).data.holder).toEqual({ kind: 'experiment', id });
    expect((await ada.get(`${experiments()}/${id}`)).data.state).toBe('running');
    await stop(id);
  });

  it('can be stopped, and its flag archived, after its environment was removed', async () => {
    const environments = `${ada.project}/environments`;
    const short = { key: 'short-lived', name: 'Short-lived' };
    expect((await ada.post(environments, short)).status).toBe(201);
    await newFlag('orphaned', short.key);
    const { data } = await ada.post(experiments(), draftOf('orphaned', { environment: short.key }));
    const one = `${experiments()}/${data.id}`;
    expect((await ada.post(`${one}/start`)).status).toBe(200);
    expect((await ada.del(`${environments}/${short.key}?confirm=${short.key}`)).status).toBe(204);
    // Another environment with its key has nothing to do with it.
    expect((await ada.post(environments, short)).status).toBe(201);
    expect(codeOf(await ada.get(`${one}/results`))).toEqual([404, 'SVC-6001']);
    const stopped = await ada.post(`${one}/stop`);
    expect([stopped.status, stopped.data?.state], stopped.text).toEqual([200, 'stopped']);
    const archived = await ada.patch(`${ada.project}/flags/orphaned`, { archived: true });
    expect(archived.status, archived.text).toBe(200);
    expect((await ada.post(`${one}/archive`)).data.state).toBe('archived');
  });

  it('is computed by the job although others fail each time', async () => {
    const { db } = await sharedTestServer();
    // One more than the job takes in a run.
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) ids.push((await running(`failing-${i}`)).id);
    const tried: string[] = [];
    const refresh = async ({ id }: { id: string }) => {
      tried.push(id);
      throw new Error('the store refuses');
    };
    const job = resultsJob({ experimentResults: { refresh }, db, log: { warn: () => {} } });
    const now = Date.now() + 86_400_000;
    const run = {
      ...{ name: '', payload: null, scheduledFor: new Date(now), epoch: 1, signal: new AbortController().signal },
      ...{ now: () => now, commit: () => Promise.reject(new Error('not used')), finish: async () => {} },
    };
    for (let known = -1; known < new Set(tried).size; ) {
      known = new Set(tried).size;
      await job.run(run);
    }
    expect(ids.filter((id) => !tried.includes(id))).toEqual([]);
    expect(new Set(tried).size).toBe(tried.length);
  });

  it('keeps its flag from being archived, its goals from changing, and its key from being taken', async () => {
    const { id } = await running('held');
    const one = `${experiments()}/${id}`;
    const { version } = (await ada.get(`${ada.project}/flags/held`)).data;
    expect(codeOf(await ada.patch(`${ada.project}/flags/held`, { archived: true, version }))).toEqual([
      409,
      'SVC-7132',
    ]);
    const metrics = (await ada.get(`${one}/metrics`)).data;
    expect((await ada.put(`${one}/metrics`, { goals: ['bought'] })).status).toBe(422);
    const added = await ada.put(`${one}/metrics`, { ...metrics, guardrails: ['error_rate'] });
    expect(added.data.guardrails).toEqual(['error_rate']);
    const other = { goals: ['error_rate'], version: added.data.version };
    expect(codeOf(await ada.put(`${one}/metrics`, other))).toEqual([409, 'SVC-7134']);
    expect(codeOf(await ada.put(`${one}/metrics`, { ...other, version: metrics.version }))).toEqual([409, 'SVC-4003']);
    expect((await ada.get(`${one}/metrics`)).data).toEqual(added.data);
    expect(codeOf(await ada.post(`${one}/start`))).toEqual([409, 'SVC-7134']);
    expect(codeOf(await ada.del(one))).toEqual([409, 'SVC-7134']);
    const { key: _, ...rest } = draftOf('held');
    expect(codeOf(await ada.put(one, { ...rest, version: 2 }))).toEqual([409, 'SVC-7134']);
    expect(codeOf(await ada.post(experiments(), draftOf('held')))).toEqual([409, 'SVC-6003']);
    expect((await ada.get(`${experiments()}/held`)).data.id).toBe(id);
    const second = await ada.post(experiments(), draftOf('held', { key: 'second' }));
    expect(codeOf(await ada.post(`${experiments()}/${second.data.id}/start`))).toEqual([409, 'SVC-7132']);
    const frozen = (await ada.get(one)).data;
    expect(frozen).toMatchObject({ state: 'running', phases: [{ to: null, reason: 'start' }] });
  });

  it('is replaced by version while it is a draft, and deleted', async () => {
    const { id, version } = await newDraft('drafted');
    const one = `${experiments()}/${id}`;
    const { key: _, ...rest } = draftOf('drafted', { hypothesis: 'more people buy' });
    expect((await ada.put(one, { ...rest, version })).data).toMatchObject({
      hypothesis: 'more people buy',
      version: version + 1,
    });
    expect(codeOf(await ada.put(one, { ...rest, version }))).toEqual([409, 'SVC-4003']);
    expect(codeOf(await ada.get(`${one}/results`))).toEqual([409, 'SVC-7134']);
    expect((await ada.get(`${experiments()}?state=draft&flag=drafted`)).data).toHaveLength(1);
    expect((await ada.del(one)).status).toBe(204);
    expect((await ada.get(one)).status).toBe(404);
    expect((await kit.world.eve.get(`${kit.world.eve.project}/experiments/${id}`)).status).toBe(404);
  });

  it('is created and listed with a slash at the end of the path, too', async () => {
    const created = await ada.post(`${experiments()}/`, draftOf(await newFlag('slashed')));
    expect([created.status, created.data?.key], created.text).toEqual([201, 'slashed']);
    const { data } = await ada.get(`${experiments()}?flag=slashed`);
    expect(data).toEqual([created.data]);
    expect((await ada.get(`${experiments()}/?flag=slashed`)).data).toEqual(data);
    expect((await ada.send('HEAD', `${experiments()}/`)).status).toBe(200);
    expect((await kit.world.eve.get(`${experiments()}/`)).status).toBe(404);
    const other = await ada.patch(`${experiments()}/`);
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await ada.get(`${experiments()}/slashed/`)).status).toBe(404);
    expect((await ada.get(`${ada.project}/metrics/`)).status).toBe(404);
  });

  it.each([
    [
      'weights that do not sum',
      {
        variants: [
          { variant: 'false', weight: 1 },
          { variant: 'true', weight: 1 },
        ],
      },
      422,
      'SVC-7133',
    ],
    ['a missing control', { control: 'other' }, 422, 'SVC-7133'],
    ['an unknown metric', { metrics: { goals: ['unknown'] } }, 422, 'SVC-7133'],
    ['an unknown flag', { flag: 'unknown' }, 404, 'SVC-4001'],
    ['an unknown environment', { environment: 'unknown' }, 404, 'SVC-6001'],
    ['a field that does not exist', { audiences: [] }, 422, 'SVC-1002'],
    ['an audience of an unknown segment', { audience: [{ op: 'in_segment', values: ['no'] }] }, 422, 'SVC-7133'],
  ])('is rejected for %s', async (_name, change, status, code) => {
    const flags = (await ada.get(`${ada.project}/flags?search=rejecting`)).data as unknown[];
    if (flags.length === 0) await newFlag('rejecting');
    expect(codeOf(await ada.post(experiments(), draftOf('rejecting', { key: 'never', ...change })))).toEqual([
      status,
      code,
    ]);
  });

  it('does not start on a flag that is off, or where its layer is taken', async () => {
    const off = await newDraft('resting');
    const { version } = (await ada.get(flagPath('resting'))).data;
    const body = {
      enabled: false,
      off_variant: 'false',
      targets: [],
      rules: [],
      fallthrough: { variant: 'false' },
      version,
    };
    expect((await ada.put(flagPath('resting'), body)).status).toBe(200);
    expect(codeOf(await ada.post(`${experiments()}/${off.id}/start`))).toEqual([422, 'SVC-7133']);
    await running('layered', { layer: 'checkout', traffic: { start: 0, share: 60_000 } });
    const other = await newDraft('overlaid', { layer: 'checkout', traffic: { start: 50_000, share: 50_000 } });
    const refused = await ada.post(`${experiments()}/${other.id}/start`);
    expect(codeOf(refused)).toEqual([422, 'SVC-7133']);
    expect(refused.json.error.message).toContain('layered');
  });

  it('needs the approvals of its environment, and a winner again after a rejection', async () => {
    const environment = await ada.post(`${ada.project}/environments`, {
      key: 'guarded',
      name: 'Guarded',
      requires_approval: true,
    });
    expect(environment.status, environment.text).toBe(201);
    const bob = await signUp(kit.world.base);
    await addMember(ada, bob, 'admin');
    const change = async (id: string, verdict: 'approve' | 'reject') => {
      const answer = await bob.post(`${ada.project}/flag-changes/${id}/${verdict}`);
      expect(answer.status, answer.text).toBe(200);
    };
    await ada.post(`${ada.project}/flags`, { key: 'asked', name: 'asked', kind: 'boolean' });
    const { version } = (await ada.get(flagPath('asked', 'guarded'))).data;
    const on = await ada.put(flagPath('asked', 'guarded'), { ...controlForAll, version });
    await change(on.data.id, 'approve');
    const { data } = await ada.post(experiments(), draftOf('asked', { environment: 'guarded' }));
    const one = `${experiments()}/${data.id}`;
    const start = await ada.post(`${one}/start`);
    expect([start.status, start.data.kind]).toEqual([202, 'experiment']);
    expect((await ada.get(one)).data.state).toBe('draft');
    await change(start.data.id, 'reject');
    expect((await ada.get(one)).data.state).toBe('draft');
    expect((await ada.get(flagPath('asked', 'guarded'))).data.holder).toBeNull();
    await change((await ada.post(`${one}/start`)).data.id, 'approve');
    expect((await ada.get(one)).data.state).toBe('running');
    expect((await ada.post(`${one}/stop`)).data.state).toBe('stopped');
    const first = await ada.post(`${one}/apply-winner`, { variant: 'true' });
    expect(first.status).toBe(202);
    // While it waits, a repetition asks for nothing new
    const repeated = await ada.post(`${one}/apply-winner`, { variant: 'true' });
    expect([repeated.status, repeated.data]).toEqual([202, first.data]);
    expect((await ada.get(one)).data.winner_change).toBe(first.data.id);
    await change(first.data.id, 'reject');
    const second = await ada.post(`${one}/apply-winner`, { variant: 'true' });
    expect(second.status).toBe(202);
    await change(second.data.id, 'approve');
    expect((await ada.get(flagPath('asked', 'guarded'))).data.fallthrough).toEqual({ variant: 'true' });
  });
});

describe('a phase', () => {
  it('begins with other weights, and keeps the variants', async () => {
    const { id, startedAt } = await running('phased');
    const one = `${experiments()}/${id}`;
    const weights = (off: number, on: number) => ({
      variants: [
        { variant: 'false', weight: off },
        { variant: 'true', weight: on },
      ],
    });
    await expose('phased', startedAt, arms('phased', 50, { false: 0.2, true: 0.2 }));
    const begun = await ada.post(`${one}/phases`, { ...weights(20_000, 80_000), comment: 'more of it' });
    expect(begun.status, begun.text).toBe(200);
    expect(begun.data.phases).toMatchObject([
      { reason: 'start', share: 100_000, ...weights(50_000, 50_000) },
      { to: null, reason: 'false 20 %, true 80 %', ...weights(20_000, 80_000) },
    ]);
    expect(begun.data.phases[0].to).toBe(begun.data.phases[1].from);
    const secondFrom = Date.parse(begun.data.phases[1].from);
    await expose('phased', secondFrom, [...arms('second', 20, { false: 0.2 }), ...arms('second', 80, { true: 0.2 })]);
    const { health, metrics } = (await ada.get(`${one}/results?refresh=true`)).data;
    expect(health.phases.map((phase: { sample_ratio: object }) => phase.sample_ratio)).toMatchObject([
      { ok: true, observed: { false: 50, true: 50 } },
      { ok: true, observed: { false: 20, true: 80 } },
    ]);
    expect(metrics[0].variants[1].absolute.difference).toBeCloseTo(0, 12);
    for (const [body, code] of [
      [weights(20_000, 80_000), 'SVC-7133'],
      [weights(20_000, 20_000), 'SVC-7133'],
      [{ variants: [weights(1, 1).variants[0], { variant: 'other', weight: 99_999 }] }, 'SVC-7133'],
      [{}, 'SVC-7133'],
    ] as const)
      expect(codeOf(await ada.post(`${one}/phases`, body))).toEqual([422, code]);
    const draft = await newDraft('unphased');
    expect(codeOf(await ada.post(`${experiments()}/${draft.id}/phases`, weights(1, 99_999)))).toEqual([
      409,
      'SVC-7134',
    ]);
  });
});
