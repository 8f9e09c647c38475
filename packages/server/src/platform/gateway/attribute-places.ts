import { isDeepStrictEqual } from 'node:util';
import { type CatalogueField, type CompileOptions, type FieldCatalogue, OLD_NAMES } from '@fanion/oql';
import type { Clock } from '../clock.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../scoped-telemetry.ts';
import { TtlCache } from '../ttl-cache.ts';
import type { Compiler } from './compiler.ts';

/** Rules of one workspace that are due together share a list. */
const keptMs = 5_000;
const maxKept = 200;
/** Where there are more, every place is read. */
const maxNames = 5_000;
const dayNs = 86_400_000_000_000n;
/** The longest wait for a list. If the store is slower, every place is read. */
const patienceMs = 2_000;
const lastSecond = 4_294_967_295;

/** Every place in which a value may be is read. */
const UNKNOWN: FieldCatalogue = { fields: [], partial: true };

type Listed = Pick<CatalogueField, 'scope' | 'name'> & { readonly signal: 'spans' | 'logs' | 'metrics' };

/**
 * A compiler that knows where the values of a query's names may be: `kv.x.y` is also read from inside of the attribute `kv` if that is a
 * map, and `http.request.method` also under its former name. Texts whose options have a catalogue are compiled with that one.
 * The list of names is up to five seconds old. Only names that occur in the text count, so a new name elsewhere changes no statement.
 */
export function createPlacesFirst({
  compiler,
  telemetry,
  clock,
}: {
  readonly compiler: Compiler;
  readonly telemetry: ScopedTelemetry;
  readonly clock: Clock;
}): Compiler {
  const kept = new TtlCache<string, Promise<FieldCatalogue>>({ clock, ttlMs: keptMs, max: maxKept });

  function listed(scope: TelemetryScope, dayStartNs: bigint): Promise<FieldCatalogue> {
    const key = JSON.stringify([scope.workspace, scope.project, scope.environment, String(dayStartNs)]);
    const known = kept.get(key);
    if (known) return known;
    // Shared by concurrent callers, so the first one must not abort it.
    const asked = listPlaces(telemetry, scope, dayStartNs, AbortSignal.timeout(patienceMs)).catch(() => {
      kept.deleteWhere((entry) => entry === asked);
      return UNKNOWN;
    });
    kept.set(key, asked);
    return asked;
  }

  /** The start of the day of a moment, at least one day ago. */
  const dayOf = (fromNs: bigint): bigint => {
    const dayAgo = BigInt(clock.now()) * 1_000_000n - dayNs;
    const least = fromNs < dayAgo ? fromNs : dayAgo;
    return least < 0n ? 0n : least - (least % dayNs);
  };

  async function knowing<T extends { readonly ok: boolean; readonly reach?: { readonly fromNs: bigint } }>(
    text: string,
    { scope, window, catalogue }: Pick<CompileOptions, 'scope' | 'window' | 'catalogue'>,
    compile: (known: { readonly catalogue?: FieldCatalogue }) => Promise<T>,
  ): Promise<T> {
    if (catalogue || !mayNamePlaces(text)) return compile({});
    const { workspace, project, environment } = scope;
    const placesSince = async (dayStartNs: bigint) =>
      within(await listed({ workspace, project, environment }, dayStartNs), text);
    const since = dayOf(window.fromNs);
    const places = await placesSince(since);
    const result = await compile({ catalogue: places });
    // A query may read before its window, as with `compare 7d`.
    const earlier = result.reach && dayOf(result.reach.fromNs);
    if (earlier === undefined || earlier >= since) return result;
    const all = await placesSince(earlier);
    return isDeepStrictEqual(all, places) ? result : compile({ catalogue: all });
  }

  return {
    ...compiler,
    compile: (text, options, asked) =>
      knowing(text, options, (known) => compiler.compile(text, { ...options, ...known }, asked)),
    compileRelation: (text, options, asked) =>
      knowing(text, options, (known) => compiler.compileRelation(text, { ...options, ...known }, asked)),
  };
}

/** Whether a text may contain a name with dots. It may be written with escapes. */
function mayNamePlaces(text: string): boolean {
  return text.includes('.') || text.includes('\\');
}

/** The names that the text contains, or that it contains the present names of. */
function within(catalogue: FieldCatalogue, text: string): FieldCatalogue {
  if (text.includes('\\')) return catalogue;
  const occurs = ({ name }: CatalogueField) => {
    const today = Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : undefined;
    return text.includes(name) || (today !== undefined && text.includes(today));
  };
  return { ...catalogue, fields: catalogue.fields.filter(occurs) };
}

/**
 * Attributes that contain values of other names: maps, which the roll-up of fields knows for spans and logs, every other attribute, which may be
 * one, and attributes with a former name.
 */
async function listPlaces(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  dayStartNs: bigint,
  signal: AbortSignal,
): Promise<FieldCatalogue> {
  const rows = await telemetry.rows<Listed & { json: number }>(
    scope,
    `SELECT signal, scope, name, toUInt8(max(type = 'json')) AS json FROM field_usage
     WHERE ${inScope(scope)} AND bucket >= toDateTime({from:UInt32}, 'UTC')
       AND (scope = 'resource' OR (scope = 'attribute' AND (signal = 'metrics' OR type = 'json' OR name IN {old:Array(String)})))
       AND signal IN ('spans', 'logs', 'metrics')
     GROUP BY signal, scope, name ORDER BY signal, scope, name LIMIT ${maxNames + 1}`,
    { from: Math.min(lastSecond, Number(dayStartNs / 1_000_000_000n)), old: Object.keys(OLD_NAMES) },
    signal,
  );
  if (rows.length > maxNames) return UNKNOWN;
  const fields = rows.map(
    ({ signal, scope, name, json }): CatalogueField => ({
      signal: signal === 'metrics' ? 'metric' : signal,
      scope,
      name,
      types: Number(json) === 1 ? ['json'] : [],
    }),
  );
  return { fields };
}
