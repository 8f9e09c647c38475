/**
 * Writes the pages of docs/ that are generated from code: docs/api.md, docs/errors.md, docs/permissions.md,
 * docs/oql-reference.md and docs/dashboard.schema.json; and the tables of settings in docs/configuration.md.
 *
 *   npx tsx scripts/generate-docs.ts            write them
 *   npx tsx scripts/generate-docs.ts --check    write nothing; exit 1 if a page is stale
 *
 * `npm test` fails if a page is stale.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorBlocks, errors } from '../packages/contract/src/errors.ts';
import { type AnyRoute, type Auth, allRoutes, dashboardJsonSchema } from '../packages/contract/src/index.ts';
import { builtInRoles, permissions } from '../packages/contract/src/permissions.ts';

import { compile, FIELDS, FUNCTIONS, type OqlFunction, STAGES, signature } from '../packages/oql/src/index.ts';
import { table } from './markdown.ts';
import { withSettingsTables } from './settings-tables.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const notice = '<!-- Made by scripts/generate-docs.ts. Do not edit. -->';

function groupBy<T, K extends string>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const callers: Readonly<Record<Auth, string>> = {
  public: 'anybody',
  session: 'session',
  user: 'session or API token',
  sdk: 'SDK key',
  ingest: 'API token',
};

/** What distinguishes a route from most routes, in a few words. */
function remarks(route: AnyRoute): string {
  return [
    ...(route.list ? ['paged'] : []),
    ...(route.callerWorkspace ? ['takes `?workspace=`'] : []),
    ...(route.enveloped ? [] : ['no envelope']),
  ].join(', ');
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function byPath(a: AnyRoute, b: AnyRoute): number {
  const [left, right] = [a.prefix + a.path, b.prefix + b.path];
  if (left !== right) return left < right ? -1 : 1;
  return methods.indexOf(a.method) - methods.indexOf(b.method);
}

function apiPage(): string {
  // A module's exports are sorted by name, not by declaration, unless a bundler changes that.
  const areas = [...groupBy(allRoutes, ({ tag }) => tag)].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = areas.map(([tag, routes]) => {
    const rows = routes
      .toSorted(byPath)
      .map((route) => [
        route.method,
        `\`${route.prefix}${route.path}\``,
        callers[route.auth],
        [route.permission, route.alsoNeeds].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])).join(', '),
        [route.summary, remarks(route)].filter((text) => text !== '').join('; '),
      ]);
    return `## ${tag.replaceAll('_', ' ')}\n\n${table(['method', 'path', 'who', 'permission', 'what'], rows)}`;
  });
  return `# HTTP API

${notice}

${allRoutes.length} routes. This page is an overview. A running server describes each route completely, with bodies, responses, errors and
examples, as OpenAPI 3.1 at \`/api/v1/openapi.json\`. Clients can be generated from it: each resource is a named component (\`Flag\`, \`AlertRule\`),
what creates it is \`FlagInput\`, what changes it \`FlagPatch\`, an answer with its envelope \`FlagResponse\` or \`FlagPage\`. The routes that
other products' clients send telemetry to are listed under [ingest](#ingest); [guides/opentelemetry.md](guides/opentelemetry.md)
explains how to set up those clients.

## General rules

- Responses under \`/api/v1\` are \`{"data": …, "error": null, "meta": {"request_id": …}}\`; errors are
  \`{"data": null, "error": {"code", "message", "status", "details"?}, "meta": …}\`. The codes are in [errors.md](errors.md).
- \`{ws}\`, \`{p}\` and \`{e}\` accept an id, or the slug or key. Resources that the caller may not see return 404, never 403.
- Lists are paged: \`limit\` (50 by default, at most 500) and \`cursor\`, which is \`meta.next_cursor\` of the previous page.
- A body with an unknown field returns 422, so that a typing mistake is never ignored.
- Times are RFC 3339 in UTC. \`from\` and \`to\` also take epoch milliseconds and relative times such as \`now-1h\`.
- To change a resource that has a \`version\`, send its version. A stale version returns 409, with the current one in \`details\`.
- POST honors \`Idempotency-Key\` for 24 hours.
- Changes with a session cookie need a same-origin \`Origin\` or \`Sec-Fetch-Site\`; API tokens need neither.
- The caller needs the permission in the innermost scope that the path names. See [permissions.md](permissions.md). In the OpenAPI document,
  \`x-permission\` lists what an operation requires: \`permission\`, \`level\` (where it is checked: \`workspace\`, \`project\` or \`environment\`) and
  \`named_by\` (what names that place: \`path\`; \`query\` or \`body\`, and the whole workspace if they name none; \`resource\`; or \`token\`).

${sections.join('\n\n')}
`;
}

function errorsPage(): string {
  // Without parameters, a message template keeps them as `{name}`.
  const byCode = Object.entries(errors).toSorted(([, a], [, b]) => a.code.localeCompare(b.code));
  const rows = byCode.map(([name, { code, status, message }]) => ({
    block: code.charAt('SVC-'.length) as `${keyof typeof errorBlocks}`,
    cells: [`\`${code}\``, String(status), `\`${name}\``, message({})] as const,
  }));
  const sections = [...groupBy(rows, ({ block }) => block)].map(
    ([block, list]) =>
      `## ${block}xxx ${errorBlocks[block]}\n\n${table(
        ['code', 'status', 'name', 'message'],
        list.map(({ cells }) => cells),
      )}`,
  );
  return `# Errors

${notice}

Each API error has a unique code that never changes its meaning. Match on the code, and show the
message. \`details\` lists \`{path, message}\` for every invalid part of the input. 429 and 503 have
\`Retry-After\`. The server fills in the words in braces.

OFREP, OTLP and the query language have their own error forms: OFREP's \`errorCode\`, OTLP's \`google.rpc.Status\`, and
OQL's diagnostics (\`OQL-…\`, in \`details\` of \`SVC-5001\`).

${sections.join('\n\n')}
`;
}

function permissionsPage(): string {
  const roles = Object.values(builtInRoles).map(({ name, permissions: held }) => ({
    name,
    held: new Set<string>(held),
  }));
  const rows = Object.entries(permissions).map(([name, { level, description }]) => [
    `\`${name}\``,
    level,
    ...roles.map(({ held }) => (held.has(name) ? '●' : '')),
    description,
  ]);
  const areaOf = (permission: string) => permission.split(':')[0] ?? permission;
  const askedFor = new Set(
    allRoutes.flatMap(({ permission }) => (permission === undefined ? [] : [areaOf(permission)])),
  );
  const idle = [...new Set(Object.keys(permissions).map(areaOf))].filter((area) => !askedFor.has(area));
  const remark =
    idle.length === 0
      ? ''
      : `No route requires a permission of ${idle.map((area) => `\`${area}:*\``).join(', ')} yet: roles can already contain them, but they have no
effect so far. `;
  return `# Permissions and roles

${notice}

A member has one role in a workspace: one of the four built-in roles below, which cannot be changed, or a custom role with a set of
permissions that you choose. A grant gives a member another role in one project or environment. It applies to
permissions of the levels *project* and *environment* only, and the most specific grant counts. Nobody can give away a permission that
they do not have.

An API token has a set of permissions, and never more than the person who created it, even if theirs change later. An SDK key has no
permissions: it can only evaluate the flags of one environment.

Without the permission, the server returns 403 with \`permission denied: <permission> required\`.

${table(['permission', 'level', ...roles.map(({ name }) => name), 'what it allows'], rows)}

${remark}[api.md](api.md) shows which route requires which permission.
`;
}

/** Examples of a function: the expression and its result. */
function examplesOf(definition: OqlFunction): string {
  const [first] =
    definition.kind === 'scalar'
      ? definition.examples.map(([expression, result]) => `\`${expression}\` is \`${JSON.stringify(result)}\``)
      : definition.examples.map(
          ([expression, x, result]: readonly [string, readonly unknown[], unknown]) =>
            `\`${expression}\` of \`${JSON.stringify(x)}\` is \`${JSON.stringify(result)}\``,
        );
  return first ?? '';
}

/** The syntax of sources with an argument. */
const WRITTEN: Readonly<Record<string, string>> = {
  metric: 'metric x',
  exemplars: 'exemplars x',
  profiles: 'profiles cpu',
  flags: 'flags "x"',
};

/** The type of a field in query results. */
function fieldType(source: string, name: string): string {
  const window = { fromNs: 0n, toNs: 3_600_000_000_000n };
  const options = { scope: { workspace: 1 }, window, limit: 1, nowNs: window.toNs };
  const compiled = compile(`${WRITTEN[source] ?? source} | fields ${name}`, options);
  const [column] = compiled.ok ? compiled.columns : [];
  if (!column) throw new Error(`${source} has no field ${name}`);
  return column.type;
}

function oqlPage(): string {
  const stages = STAGES.filter(({ examples }) => examples.length > 0).map(
    ({ syntax, doc, examples }) =>
      `### \`${syntax.split(' ')[0]}\`\n\n\`${syntax}\`\n\n${doc}\n\n${examples.map((query) => `\`\`\`oql\n${query}\n\`\`\``).join('\n\n')}`,
  );
  const functions = (kind: OqlFunction['kind']) => {
    const weights = kind === 'aggregate' ? ['weights'] : [];
    return table(
      ['function', 'what it gives', ...weights, 'example'],
      FUNCTIONS.filter((definition) => definition.kind === kind)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((definition) => [
          `\`${signature(definition)}\``,
          definition.doc,
          ...('weights' in definition ? [definition.weights] : []),
          examplesOf(definition),
        ]),
    );
  };
  const fields = Object.entries(FIELDS).map(
    ([source, docs]) =>
      `### \`${source}\`\n\n${table(
        ['field', 'type', 'what it is'],
        Object.entries(docs).map(([name, doc]) => [`\`${name}\``, fieldType(source, name), doc]),
      )}`,
  );
  return `# OQL reference

${notice}

Stages, functions and fields of the query language, generated from their definitions. For an introduction, see
[oql.md](oql.md).

## Stages

${stages.join('\n\n')}

## Aggregates

Aggregates of the rows of a group, in \`stats\`. They ignore nulls.

A span that was kept by head sampling stands for several, and so does a row of \`flags\`. In the column weights, *counted* means that such a row counts as
often; *alike*, that the answer is the same for the row and for those that it stands for; *stored*, that it counts once. Within one trace, as in
\`traces | where any(…)\`, each span counts once. What only rows have that sampling left out is not known to any aggregate.

${functions('aggregate')}

## Functions

Functions of the values of one row. If an argument is null, so is the result, unless the description says otherwise.

${functions('scalar')}

## Functions of other rows

Functions that compare a row with other rows, in \`extend\`. Rows of a series (the keys of \`stats … by …\` except the bucket) are ordered by
bucket, single rows by time, and other rows by the last \`sort\`. Write aggregates with
\`over\`, as in \`avg(n) over 5 buckets\`.

${functions('window')}

## Fields

What every row of a source has. Beside these, rows of \`logs\`, \`spans\`, \`events\`, \`links\`, \`metric\`, \`exemplars\`, \`profiles\` and \`flags\` have attributes
and those of their resource.

${fields.join('\n\n')}
`;
}

/** Path below the repository's root → content. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/api.md', apiPage()],
    ['docs/errors.md', errorsPage()],
    ['docs/permissions.md', permissionsPage()],
    ['docs/oql-reference.md', oqlPage()],
    ['docs/configuration.md', withSettingsTables(readFileSync(join(root, 'docs/configuration.md'), 'utf8'))],
    ['docs/dashboard.schema.json', `${JSON.stringify(dashboardJsonSchema(), null, 2)}\n`],
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const checkOnly = process.argv.includes('--check');
  for (const [path, content] of generatedDocs()) {
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
    if (checkOnly) {
      console.error(`${path} is stale: npx tsx scripts/generate-docs.ts`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, content);
      console.log(`written: ${path}`);
    }
  }
}
