import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { outputOf } from './support.ts';

/**
 * `FANION_TEST_PYTHON`: the Python of an environment with schemathesis 4.4.1 and hypothesis 6.148.8, as `.ci/run`
 * creates it.
 */
const python = process.env.FANION_TEST_PYTHON;
const schemathesis = python === undefined ? 'schemathesis' : join(dirname(python), 'schemathesis');
const version = outputOf(schemathesis, ['--version'], 'no schemathesis; set FANION_TEST_PYTHON');

/** How long the tool may take on a slow machine, once; 24 s on a quiet one. */
const PATIENCE_MS = 400_000;

/** Operations that would end the session or remove what others need, and streams, which do not end. */
const leftOut = new Set([
  'auth.signup',
  'auth.login',
  'auth.logout',
  'auth.password',
  'invitations.accept',
  // A person in several workspaces must name one if the path does not.
  'workspaces.create',
  'workspaces.update',
  'workspaces.remove',
  'projects.update',
  'projects.remove',
  'environments.remove',
]);

/**
 * Why an input that matches its schema may be rejected: rules that no schema can express, documented with their errors.
 */
const reasons: Readonly<Record<string, string>> = {
  'SVC-1002': 'a rule over several fields, such as variants that have to be there for a kind of flag',
  'SVC-3007': 'nobody gives away what they do not have',
  'SVC-4002': 'the key is taken',
  'SVC-4003': 'the version is stale',
  'SVC-4004': 'the targeting names an unknown variant',
  'SVC-4006': 'only an archived flag is removed',
  'SVC-4009': 'the prerequisites name an unknown flag',
  'SVC-4012': 'the segment names an unknown segment',
  'SVC-4020': 'the ramp names an unknown variant',
  'SVC-5001': 'the text is no query',
  'SVC-5006': 'the window ends before it begins',
  'SVC-6003': 'the key is taken',
  'SVC-6009': 'a removal has to be confirmed by name',
  'SVC-7001': 'a rule over several fields of an alert rule, or an interval out of its range',
  'SVC-7030': 'the routing policy names an unknown parent or channel, or a matcher is invalid',
  'SVC-7034': 'the matchers of a silence match every alert, or one of them is invalid',
  'SVC-7035': 'a matcher of an inhibition rule is invalid',
  'SVC-7103': 'the object is no dashboard of Grafana',
  'SVC-7201': 'a snapshot would be kept for longer than the limit',
  'SVC-7100': 'a rule over several fields of a dashboard, such as two panels with one id',
  'SVC-7051': 'another recording rule writes the metric',
  'SVC-7050': 'a rule over several fields of an SLO, or a document that is not of OpenSLO v1',
  'SVC-7130': 'a rule over several fields of a metric, or rows that cannot join to a unit',
  'SVC-7133': 'weights that do not sum, an unknown variant or metric, or numbers that no calculator can use',
  'SVC-7132': 'an experiment or a guarded release serves the flag',
  'SVC-7134': 'the experiment does not run, or runs already',
  'SVC-7137': 'the guarded release is not armed, or is already',
  'SVC-4019': 'a ramp serves the flag',
  'SVC-4021': 'the ramp does not run, or runs already',
  'SVC-7136': 'an unknown variant or metric of a guarded release, or steps that shrink',
};

interface Parameter {
  readonly name: string;
  readonly in: string;
  schema: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  security?: unknown;
  parameters?: (Parameter | { readonly $ref: string })[];
}

describe.skipIf(version === undefined)('the API document, under a fuzzer', () => {
  let server: TestServer;
  let user: SignedUp;
  let key: string;
  let directory: string;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base);
    await user.post(`${user.project}/flags`, { key: 'pinned', name: 'Pinned', kind: 'boolean' });
    key = await user.sdkKey();
    directory = await mkdtemp(join(tmpdir(), 'fanion-fuzz-'));
  });
  afterAll(async () => {
    await server?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  /** The document with the ids of existing resources, without the omitted operations. */
  async function pinned(of: 'people' | 'sdk'): Promise<string> {
    const pins: Readonly<Record<string, string>> = {
      'path ws': user.workspaceId,
      'path p': user.projectId,
      'path e': 'production',
      'path key': 'pinned',
      'query workspace': user.workspaceId,
    };
    const { json } = await testClient(server.base).get('/api/v1/openapi.json');
    const shared: Readonly<Record<string, Parameter>> = json.components.parameters;
    const resolved = (parameters: Operation['parameters'] = []): Parameter[] =>
      parameters.map((one) =>
        '$ref' in one ? { ...(shared[one.$ref.slice('#/components/parameters/'.length)] as Parameter) } : one,
      );
    const paths = json.paths as Record<string, Record<string, Operation>>;
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const isSdk = path.startsWith('/api/v1/sdk/') || path.startsWith('/ofrep/');
        const isApi = path.startsWith('/api/v1/');
        const streams = Object.values(operation.responses).some(
          ({ content }) => 'text/event-stream' in (content ?? {}),
        );
        if (leftOut.has(operation.operationId) || streams || (of === 'sdk' ? !isSdk : isSdk || !isApi)) {
          delete operations[method];
          continue;
        }
        // The credential is added to each request.
        delete operation.security;
        // Cursors are valid only if a list returned them.
        const parameters = resolved(operation.parameters).filter(({ name }) => name !== 'cursor');
        operation.parameters = parameters;
        for (const parameter of parameters) {
          const pin = pins[`${parameter.in} ${parameter.name}`];
          if (pin !== undefined) parameter.schema = { type: 'string', enum: [pin] };
        }
      }
      if (Object.keys(operations).length === 0) delete paths[path];
    }
    delete json.components.securitySchemes;
    const file = join(directory, `${of}.json`);
    await writeFile(file, JSON.stringify(json));
    return file;
  }

  const leastRequests = 100;
  const generatedIn = (output = '') => Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
  const run = (args: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile(schemathesis, args, { cwd: directory, timeout: PATIENCE_MS, maxBuffer: 1 << 26 }, (_error, stdout) =>
        resolve(stdout),
      );
    });

  it.each(['people', 'sdk'] as const)(
    'answers %s without a 5xx, an undocumented status or body, or an undocumented refusal',
    async (of) => {
      const headers =
        of === 'sdk' ? [`Authorization: Bearer ${key}`] : [`Cookie: ${user.cookie}`, `Origin: ${server.base}`];
      const checks = [
        'not_a_server_error',
        'status_code_conformance',
        'content_type_conformance',
        'response_schema_conformance',
        'positive_data_acceptance',
      ];
      const args = [
        'run',
        await pinned(of),
        '--url',
        server.base,
        ...headers.flatMap((header) => ['-H', header]),
        ...['--seed', '9', '--generation-deterministic', '-m', 'positive', '--phases', 'examples,fuzzing'],
        ...['-n', of === 'sdk' ? '25' : '2', '--workers', '4', '--no-shrink', '--no-color', '--continue-on-failure'],
        ...['--generation-allow-x00', 'false', '--generation-codec', 'ascii', '--suppress-health-check', 'all'],
        ...['--checks', checks.join(','), '--max-failures', '500', '--output-truncate', 'false'],
      ];
      const outputs = [await run(args)];
      // On a busy machine, the tool sometimes gives an operation up without a finding. Then it did not ask enough.
      while (generatedIn(outputs.at(-1)) <= leastRequests && outputs.length < 6) {
        console.log(
          `${of}: asked again after ${generatedIn(outputs.at(-1))} requests: ${outputs.at(-1)?.slice(0, 2_000)}`,
        );
        outputs.push(await run(args));
      }
      const last = outputs.at(-1);
      expect(generatedIn(last), last?.slice(-2_000)).toBeGreaterThan(leastRequests);
      console.log(`${of}: ${generatedIn(last)} requests generated`);
      // One block per operation and finding; a rejection with a documented reason is not one.
      const findings = outputs
        .flatMap((output) => output.split(/\n(?=- )/).slice(1))
        .filter((block) => {
          const refused = block.startsWith('- API rejected schema-compliant request');
          const [, code = ''] = /"code":"(SVC-\d+)"/.exec(block) ?? [];
          return !(refused && code in reasons);
        });
      expect(findings).toEqual([]);
    },
    2 * PATIENCE_MS + 60_000,
  );
});
