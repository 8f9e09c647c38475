import { replaceWith } from '../diagnostics/diagnostic.ts';
import { meantHere } from '../foreign/names.ts';
import { formerNames, todaysName } from '../schema/old-names.ts';
import { all, list, sql, text } from '../sql/sql.ts';
import type { Path } from '../syntax/ast.ts';
import { AGGREGATE_WORDS } from '../syntax/elsewhere.ts';
import { LIMITS } from '../syntax/guard.ts';
import { printPath } from '../syntax/print.ts';
import type { Context } from './context.ts';
import type { Environment } from './environment.ts';
import { type AttributeScope, findColumn, type InMap, type Relation, type Rows, type SignalName } from './relation.ts';
import { tagged, taggedJson, taggedValue } from './tagged.ts';
import { BROKEN, constant, type Value } from './value.ts';

/** Resolves a path to a derived column, a field of every row, a signal attribute or a resource attribute, in this order. */
export function resolve(path: Path, env: Environment): Value {
  if (++env.ctx.names > LIMITS.names) {
    if (env.ctx.names === LIMITS.names + 1) {
      env.ctx.error('TOO_LARGE', path, `A query names at most ${LIMITS.names} fields, counting each use.`);
    }
    return BROKEN;
  }
  const [head = ''] = path.segments;
  const { rows } = env.relation;
  const { index: [first, ...rest] = [], ...named } = path;
  const isPrefixed = path.segments.length === 1 && env.level === 'rows' && Object.hasOwn(PREFIXES, head);
  const [, prefix = ''] = path.segments;
  const beside = path.segments.length === 2 && Object.hasOwn(PREFIXES, prefix) && env.relation.beside?.get(head);
  // `span.attr["x"]`: an attribute of the row beside, not a key of its attribute `attr`.
  if (beside && typeof first === 'string' && env.level === 'rows')
    return resolve({ ...path, segments: [prefix] }, { ...env, relation: beside });
  if (rows && typeof first === 'string' && isPrefixed) {
    const value = resolveField(`${head}.${first}`, { ...named, segments: [head, first] }, rows, env.ctx);
    return within(value, rest, path, env.ctx);
  }
  return within(resolveName(path, env), path.index ?? [], path, env.ctx);
}

function resolveName(path: Path, env: Environment): Value {
  const { ctx, relation } = env;
  const name = path.segments.join('.');
  if (env.level === 'groups') return resolveInGroups(name, path, env);
  const derived = findColumn(relation, name);
  if (derived) return derived.value;
  const known = wordValue(name, path, env);
  if (known) return known;
  const [head = '', ...tail] = path.segments;
  const beside = relation.beside?.get(head);
  if (beside && tail.length > 0) {
    return resolveName({ ...path, segments: tail }, { ...env, relation: beside });
  }
  if (relation.parsed && !relation.rows?.intrinsic(name) && !Object.hasOwn(PREFIXES, head)) {
    return resolveParsed(relation.parsed(path.segments), name, path, relation.rows, ctx);
  }
  if (relation.rows) return resolveField(name, path, relation.rows, ctx);
  if (!relation.unknown) reportUnknown(name, path, relation, ctx);
  return BROKEN;
}

/** Built-in names: `window`, the part of the row's bucket, or of the range, that is over, and `now`, the time when it began. */
function wordValue(name: string, path: Path, env: Environment): Value | undefined {
  if (name === 'window' && env.window === undefined) {
    const message =
      'Days of a time zone have 23, 24 or 25 hours, so `window` is not one width. Divide by a duration, as `/ 1d`.';
    env.ctx.error('NOT_AVAILABLE', path, message, replaceWith(path, '1d'));
    return BROKEN;
  }
  if (name === 'window') return env.window;
  if (name === 'now') return constant({ type: 'timestamp', value: env.ctx.nowNs });
  return undefined;
}

function resolveInGroups(name: string, path: Path, env: Environment): Value {
  const key = env.keys.find((column) => column.name === name);
  if (key) return { ...key.value, aggregate: true };
  const known = wordValue(name, path, env);
  if (known) return known;
  if (env.relation.unknown) return BROKEN;
  const written = printPath(path);
  if (AGGREGATE_WORDS.has(name)) {
    const message = `\`${name}\` is an aggregate, which is written with brackets: \`${name === 'count' ? 'count()' : `${name}(FIELD)`}\`.`;
    env.ctx.error('NOT_AGGREGATED', path, message, name === 'count' ? replaceWith(path, 'count()') : undefined);
    return BROKEN;
  }
  env.ctx.error(
    'NOT_AGGREGATED',
    path,
    `\`${written}\` varies by row: use it inside an aggregate such as \`max(${written})\`, or group by it.`,
    replaceWith(path, `max(${written})`),
  );
  return BROKEN;
}

/** A key of the parsed text; if a row has none, the attribute with this name. */
function resolveParsed(key: Value, name: string, path: Path, rows: Rows | undefined, ctx: Context): Value {
  ctx.use({ ref: name, resolved: `key ${name} of the parsed text`, index: null });
  const attribute = rows?.attribute?.('either', [path.segments.join('.')]);
  if (!attribute?.dynamic) return key;
  return taggedValue(sql`coalesce(${tagged(key)}, ${attribute.dynamic.tagged})`, true);
}

const PREFIXES: Readonly<Record<string, AttributeScope>> = {
  resource: 'resource',
  scope: 'scope',
  attr: 'signal',
  attributes: 'signal',
  log: 'signal',
  span: 'signal',
  metric: 'signal',
};

function resolveField(name: string, path: Path, rows: Rows, ctx: Context): Value {
  const [head = '', ...tail] = path.segments;
  const rest = tail.join('.');
  const whole = rows.intrinsic(name);
  if (whole) {
    ctx.use({ ref: name, resolved: `${rows.signal}.${name}`, index: rows.indexOf(name) });
    return whole;
  }
  const body = tail.length > 0 && head === 'body' && rows.signal === 'logs' ? rows.intrinsic('body') : undefined;
  if (body) return resolveInBody(body, name, tail, rows, ctx);
  const scope = tail.length > 0 && Object.hasOwn(PREFIXES, head) ? PREFIXES[head] : undefined;
  if (scope === undefined) {
    const alias = INTRINSIC_NAMES[name];
    if (alias !== undefined && rows.intrinsic(alias))
      return resolveField(alias, { ...path, segments: [alias] }, rows, ctx);
    return attribute('either', name, name, path, rows, ctx);
  }
  // `span.kind` and `resource.service.name` are fields of every row too.
  const alias = INTRINSIC_NAMES[rest] ?? rest;
  const named =
    head === 'span' || head === 'log' || head === 'metric' || (head === 'resource' && isResourceField(alias));
  const intrinsic = named ? rows.intrinsic(alias) : undefined;
  if (intrinsic) {
    ctx.use({ ref: name, resolved: `${rows.signal}.${alias}`, index: rows.indexOf(alias) });
    return intrinsic;
  }
  return attribute(scope, rest, name, path, rows, ctx);
}

/** `body.user.id` means the same as `body["user"]["id"]`, in records without an attribute of that name. */
function resolveInBody(body: Value, name: string, steps: readonly string[], rows: Rows, ctx: Context): Value {
  const inside = insideOfJson(body, steps);
  const listed = ctx.catalogue && !ctx.catalogue.partial;
  if (!rows.attribute || (listed && !isSeen([name], rows, ctx))) {
    ctx.use({ ref: name, resolved: `${steps.join('.')} in the body`, index: null });
    return inside;
  }
  const attribute = rows.attribute('either', [name]);
  ctx.use({
    ref: name,
    resolved: `attribute or resource attribute ${name}, or ${steps.join('.')} in the body`,
    index: null,
  });
  return taggedValue(sql`coalesce(${tagged(attribute)}, ${tagged(inside)})`);
}

/** Resource attributes that have a column of their own. */
const INTRINSIC_NAMES: Readonly<Record<string, string>> = {
  'deployment.environment.name': 'environment',
  'deployment.environment': 'environment',
};

function isResourceField(name: string): boolean {
  return name === 'service.name' || name === 'environment';
}

function attribute(scope: AttributeScope, key: string, ref: string, path: Path, rows: Rows, ctx: Context): Value {
  if (!rows.attribute) {
    const near = ctx.nearest(ref, rows.intrinsics);
    const hint = rows.inner
      ? `query its spans with an aggregate, as in \`any(${ref} == …)\``
      : `the root span of its trace has it, as \`span.${ref}\``;
    const message = `A row of \`${rows.signal}\` has no field \`${ref}\`; ${hint}.`;
    ctx.error('UNKNOWN_FIELD', path, message, near === undefined ? undefined : replaceWith(path, near));
    return BROKEN;
  }
  if (scope === 'scope' && rows.unscoped) {
    const message = `\`${rows.signal}\` have no attributes of a scope: use \`attr.${key}\` or \`resource.${key}\`.`;
    ctx.error('UNKNOWN_FIELD', path, message, replaceWith(path, `attr.${key}`));
    return BROKEN;
  }
  const today = todaysName(key);
  if (today !== undefined) {
    ctx.inform('OLD_NAME', path, `\`${key}\` is now called \`${today}\`; queries read both.`);
  }
  const keys = today === undefined ? [key, ...seenFormerNames(key, rows, ctx)] : [today, key];
  const maps = mapsWith(scope, keys, rows, ctx);
  const isInside = maps.some(({ known }) => known) && !isSeen(keys, rows, ctx);
  const called = scope === 'either' ? meantHere(key, rows.signal) : undefined;
  if (called !== undefined && called !== key && !isInside && !isSeen(keys, rows, ctx)) {
    const message = `\`${key}\` is read as an attribute. For its usual meaning, write \`${called}\`.`;
    ctx.inform('NAME_ELSEWHERE', path, message, replaceWith(path, called));
  } else if (!isInside) tellOfSeen(scope, keys, path, rows, ctx);
  const places = [...keys, ...maps.map(({ at }) => at)];
  const value = rows.attribute(scope, places);
  ctx.attributes.set(ref, { scope, keys: places });
  ctx.use({
    ref,
    resolved: resolvedAs(scope, isInside ? [] : keys, maps),
    index: value.dynamic?.equals && maps.length === 0 ? 'text index of values, in days that are over' : null,
  });
  const seen = maps.length > 0 ? undefined : typesSeen(scope, keys, rows, ctx);
  return seen && value.dynamic ? { ...value, dynamic: { ...value.dynamic, seen } } : value;
}

function resolvedAs(scope: AttributeScope, keys: readonly string[], maps: readonly PossibleMap[]): string {
  const flat = keys.length > 0 ? [`${WHERE[scope]} ${keys.join(' or ')}`] : [];
  const inside = maps
    .filter(({ known }) => known)
    .map(({ at }) => `${at.path.join('.')} in the ${WHERE[at.scope]} ${at.name}`);
  return [...flat, ...new Set(inside)].join(', or ');
}

interface PossibleMap {
  readonly at: InMap;
  /** The catalogue lists it. */
  readonly known: boolean;
}

/**
 * The maps that may contain the value: `kv.x.y` reads `x.y` in the map `kv`, in rows without an attribute of the whole name.
 * Where the catalogue lists all attributes, only maps that it lists are read, since each costs a read.
 */
function mapsWith(scope: AttributeScope, keys: readonly string[], rows: Rows, ctx: Context): readonly PossibleMap[] {
  const scopes = scope === 'either' ? (['signal', 'resource'] as const) : [scope];
  return scopes.flatMap((of) => {
    const listed = listedAs(of, rows.signal);
    return keys.flatMap((key) => {
      const parts = key.split('.');
      return parts.slice(1).flatMap((_, cut): PossibleMap[] => {
        const length = parts.length - 1 - cut;
        const at = { scope: of, name: parts.slice(0, length).join('.'), path: parts.slice(length) };
        if (listed === undefined || ctx.catalogue?.partial) return [{ at, known: false }];
        const found = ctx.catalogue?.find(listed.signal, listed.scope, at.name);
        // Only spans and logs have types in the catalogue: other maps are listed as texts.
        const isMap = found && (!listed.typed || found.types.includes('json'));
        return isMap ? [{ at, known: true }] : [];
      });
    });
  });
}

/** Where the catalogue lists the attributes of a scope; undefined if nowhere. */
function listedAs(scope: InMap['scope'], signal: SignalName) {
  if (scope === 'scope') return undefined;
  const ofResource = scope === 'resource';
  const source = ofResource ? LISTED_RESOURCES[signal] : signal;
  if (source !== 'spans' && source !== 'logs' && source !== 'metric') return undefined;
  return {
    signal: source,
    scope: ofResource ? 'resource' : 'attribute',
    typed: !ofResource && source !== 'metric',
  } as const;
}

const LISTED_RESOURCES: Readonly<Partial<Record<SignalName, SignalName>>> = {
  spans: 'spans',
  events: 'spans',
  links: 'spans',
  logs: 'logs',
  metric: 'metric',
  exemplars: 'metric',
};

const WHERE: Readonly<Record<AttributeScope, string>> = {
  either: 'attribute or resource attribute',
  resource: 'resource attribute',
  scope: 'attribute of the scope',
  signal: 'attribute',
};

/** Resource attributes are stored as text, whatever type was sent, so their types do not matter. */
function typesSeen(scope: AttributeScope, keys: readonly string[], { signal }: Rows, { catalogue }: Context) {
  if (
    !catalogue ||
    catalogue.partial ||
    scope === 'resource' ||
    scope === 'scope' ||
    (signal !== 'spans' && signal !== 'logs')
  )
    return undefined;
  if (scope === 'either' && keys.some((key) => catalogue.find(signal, 'resource', key))) return undefined;
  return keys.flatMap((key) => catalogue.find(signal, 'attribute', key)?.types ?? []);
}

function isSeen(keys: readonly string[], { signal }: Rows, { catalogue }: Context): boolean {
  return keys.some((key) => catalogue?.find(signal, 'attribute', key) ?? catalogue?.find(signal, 'resource', key));
}

/** Each older name costs a read, so only those known to occur are read. */
function seenFormerNames(key: string, rows: Rows, ctx: Context): readonly string[] {
  const { catalogue } = ctx;
  if (!catalogue) return [];
  return formerNames(key).filter(
    (old) => catalogue.partial || catalogue.find(rows.signal, 'attribute', old) !== undefined,
  );
}

const catalogued: ReadonlySet<string> = new Set(['logs', 'spans', 'metric']);

function tellOfSeen(scope: AttributeScope, keys: readonly string[], path: Path, rows: Rows, ctx: Context): void {
  const { catalogue } = ctx;
  // The roll-up of fields does not contain attributes of events and samples.
  if (!catalogue || !catalogued.has(rows.signal) || scope === 'scope') return;
  const seen = (of: 'attribute' | 'resource') => keys.some((key) => catalogue.find(rows.signal, of, key) !== undefined);
  const onSignal = scope !== 'resource' && seen('attribute');
  const onResource = scope !== 'signal' && seen('resource');
  const written = printPath(path);
  if (onSignal && onResource) {
    const message = `\`${written}\` is both an attribute and a resource attribute; this reads the attribute. Write \`attr.${keys[0]}\` or \`resource.${keys[0]}\`.`;
    ctx.warn('AMBIGUOUS_FIELD', path, message, replaceWith(path, `resource.${written}`));
  }
  if (!onSignal && !onResource && !catalogue.partial) {
    const near = ctx.nearest(written, [...catalogue.names(rows.signal), ...rows.intrinsics]);
    const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
    ctx.warn(
      'UNSEEN_FIELD',
      path,
      `No \`${written}\` has been seen; it is null.${hint}`,
      near === undefined ? undefined : replaceWith(path, near),
    );
  }
}

function reportUnknown(name: string, path: Path, relation: Relation, ctx: Context): void {
  const names = relation.columns.map((column) => column.name);
  const near = ctx.nearest(name, names) ?? names.find((known) => known.endsWith(`.${name}`));
  const known =
    names.length > 0 && names.length <= 12 ? ` There are ${names.map((known) => `\`${known}\``).join(', ')}.` : '';
  const message = `There is no field \`${name}\` here.${near === undefined ? known : ` Did you mean \`${near}\`?`}`;
  ctx.error('UNKNOWN_FIELD', path, message, near === undefined ? undefined : replaceWith(path, near));
}

/** `value["key"][0]` reads from maps, lists and JSON text: from a list by a number from 0, from a map by a key. */
function within(value: Value, index: readonly (string | bigint)[], path: Path, ctx: Context): Value {
  const [first, ...rest] = index;
  if (first === undefined || value.broken) return value;
  if (value.type === 'any' || value.type === 'string') return insideOfJson(value, index);
  if (value.type === 'array' && typeof first === 'bigint') return within(elementOf(value, first), rest, path, ctx);
  ctx.error('TYPE_MISMATCH', path, `\`[…]\` reads from a map, an array or JSON text, not from a ${value.type}.`);
  return BROKEN;
}

function elementOf({ sql: array, elements = 'string' }: Value, index: bigint): Value {
  const read = tagged({ type: elements, sql: sql`${array}[${Number(index) + 1}]`, nullable: true });
  return taggedValue(sql`if(length(${array}) > ${Number(index)}, ${read}, NULL)`, elements === 'string');
}

/** Takes all steps at once: a value is repeated in the SQL of each step that is made of it. */
function insideOfJson(value: Value, index: readonly (string | bigint)[]): Value {
  const json = sql`ifNull(${value.dynamic?.read('map') ?? value.sql}, '')`;
  const steps = index.map((one) => (typeof one === 'string' ? text(one) : sql`${Number(one) + 1}`));
  const at = (count: number) => list([json, ...steps.slice(0, count)]);
  const raw = sql`JSONExtractRaw(${at(steps.length)})`;
  // The engine counts the members of a map too.
  const lists = index.flatMap((one, i) => (typeof one === 'bigint' ? [sql`(JSONType(${at(i)}) = 'Array')`] : []));
  return taggedValue(taggedJson(lists.length > 0 ? sql`if(${all(lists)}, ${raw}, '')` : raw));
}
