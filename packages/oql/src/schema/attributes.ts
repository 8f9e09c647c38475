import type { AttributeType } from '../check/catalogue.ts';
import type { AttributeKey, AttributeScope, InMap } from '../check/relation.ts';
import { dynamicText } from '../check/store.ts';
import { taggedBool, taggedDynamic, taggedFloat, taggedJson } from '../check/tagged.ts';
import type { Dynamic, ReadType, Value } from '../check/value.ts';
import { all, list, NULL, type Sql, some, sql, text } from '../sql/sql.ts';

/**
 * The maps that hold the attributes of one scope; a map of text alone holds every type as text. `empty` is a column with
 * the names of its texts that are empty, each between two zero bytes: see {@link textEntry}. `types` is a text with the letter
 * (`check/tagged.ts`) of each value that was not sent as text: a zero byte, its key, a byte 1, the letter.
 */
export type AttributeMaps =
  | {
      readonly kind: 'typed';
      readonly string: Sql;
      readonly int: Sql;
      readonly float: Sql;
      readonly bool: Sql;
      readonly json: Sql;
      readonly empty: Sql;
    }
  | { readonly kind: 'text'; readonly map: Sql; readonly empty?: Sql; readonly types?: Sql };

/** Where the attributes of a signal's rows are. */
export interface AttributeStore {
  readonly signal: AttributeMaps;
  readonly resource: AttributeMaps;
  readonly scope?: AttributeMaps;
  /** Whether text indexes over the texts of its maps answer `map['key'] = 'value'`. */
  readonly indexed?: boolean;
}

/** How the values of attributes of any type are read. */
export interface TextReads {
  /** Told of each attribute. */
  note(key: string): void;
  /** Whether every row is taken to have it as a text. */
  readonly assumed: boolean;
}

type Typed = Extract<AttributeMaps, { readonly kind: 'typed' }>;
/** A place that may contain the value, and how to read it from there. */
interface Place {
  readonly maps: AttributeMaps;
  readonly key: string;
  /** The value is inside of one of these instead, which are maps; the first that has it counts. */
  readonly inside?: readonly InMap[];
}

const SCOPES = ['signal', 'resource'] as const;
const ALL_TYPES: readonly AttributeType[] = ['string', 'int', 'float', 'bool', 'json'];

/** Reads an attribute by its keys, in the order given (a name, its older names, and maps that may contain it). */
export function attributeValue(
  attributes: AttributeStore,
  scope: AttributeScope,
  keys: readonly AttributeKey[],
  texts?: TextReads,
): Value {
  const placesOf = (of: Exclude<AttributeScope, 'either'>, maps: AttributeMaps | undefined): Place[] => {
    if (!maps) return [];
    const flat = keys.flatMap((key) => (typeof key === 'string' ? [{ maps, key }] : []));
    const inside = keys.flatMap((key) => (typeof key !== 'string' && key.scope === of ? [key] : []));
    return inside.length > 0 ? [...flat, { maps, key: '', inside }] : flat;
  };
  if (scope === 'scope') {
    const dynamic = dynamicOf(placesOf('scope', attributes.scope), false);
    return { type: 'any', sql: dynamic.text, nullable: true, dynamic };
  }
  const places = SCOPES.filter((of) => scope === 'either' || scope === of).flatMap((of) =>
    placesOf(of, attributes[of]),
  );
  const dynamic = dynamicOf(places, attributes.indexed ?? false, texts);
  return {
    type: 'any',
    get sql() {
      return dynamic.text;
    },
    nullable: true,
    dynamic,
  };
}

interface Branch {
  readonly holds: Sql;
  readonly value: Sql;
  /** What the map gives for a missing key, where it is the read's own default. */
  readonly zero: boolean;
}

function dynamicOf(places: readonly Place[], indexed: boolean, texts?: TextReads): Dynamic {
  const branches = (type: ReadType, missing: Sql) => places.flatMap((place) => branchesOf(place, type, missing));
  // A comparison needs one of these, and a query may name a thousand attributes.
  const text = once(() => choose(places.flatMap(textBranches), NULL));
  const tagged = once(() => {
    const [first] = places;
    if (texts && first?.maps.kind === 'typed') {
      texts.note(first.key);
      if (texts.assumed) return assumedText(first.maps.string, first.key);
    }
    return choose(places.flatMap(taggedBranches), NULL);
  });
  const number = once(() => choose(upToNumbers(places.flatMap(numberBranches)), NULL));
  const exists = once(() => some(places.flatMap((place) => entriesOf(place).map(({ holds }) => holds))));
  return {
    get text() {
      return text();
    },
    get tagged() {
      return tagged();
    },
    get number() {
      return number();
    },
    ...(places[0] ? { ofText: textOfFirst(places[0]) } : {}),
    ...(places.every(({ maps }) => maps.kind === 'text') ? { untyped: true } : {}),
    get exists() {
      return exists();
    },
    read: (type, missing = NULL) => choose(branches(type, missing), missing),
    ...(indexed ? { equals: (value) => indexedEquality(places, value) } : {}),
  };
}

function once(make: () => Sql): () => Sql {
  let made: Sql | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function choose(branches: readonly Branch[], missing: Sql): Sql {
  const last = branches.at(-1);
  if (last === undefined) return missing;
  // A map returns an empty value for a missing key: if that is the wanted default, the last place needs no check.
  const unasked = last.zero && isZero(missing);
  const asked = unasked ? branches.slice(0, -1) : branches;
  const otherwise = unasked ? last.value : missing;
  const [first] = asked;
  if (first === undefined) return otherwise;
  if (asked.length === 1) return sql`if(${first.holds}, ${first.value}, ${otherwise})`;
  return sql`multiIf(${list(asked.flatMap(({ holds, value }) => [holds, value]))}, ${otherwise})`;
}

/** Reads one map instead of seven: the text of a typed map comes before all other places. An empty one may be a missing key. */
function assumedText(map: Sql, key: string): Sql {
  const value = sql`${map}[${text(key)}]`;
  const isMissing = sql`throwIf(${value} = '', 'in some row an attribute is no text')`;
  return sql`concat(substring('s', 1 + ${isMissing}), ${value})`;
}

/** The marks that a caller gives for "as if it were empty", which a map's own default is too. */
export const MISSING = { string: sql`''`, int: sql`0`, float: sql`0.`, fraction: sql`0.`, bool: sql`false` } as const;
const zeros: ReadonlySet<Sql> = new Set(Object.values(MISSING));

function isZero(missing: Sql): boolean {
  return zeros.has(missing);
}

/** The entries of the maps in which a place's value may be, in the order in which they are looked into. */
function entriesOf(place: Place): readonly (Branch & { readonly type: AttributeType })[] {
  const { maps, key, inside } = place;
  if (inside) {
    const { holds, value } = inMap(place, inside);
    return [{ holds, value: value.text, zero: false, type: 'string' }];
  }
  if (maps.kind === 'text') return [{ ...textEntry(maps.map, key, maps.empty), type: 'string' }];
  return ALL_TYPES.map((type) => ({ ...typedEntry(maps, key, type), type }));
}

/** The value at a path into a map. Each part stands once in the statement, since a query may name many fields. */
function inMap({ maps }: Place, inside: readonly InMap[]): { readonly holds: Sql; readonly value: Dynamic } {
  const isText = maps.kind === 'text';
  const raws = inside.map(({ name, path }) => {
    const map = sql`${isText ? maps.map : maps.json}[${text(name)}]`;
    return sql`JSONExtractRaw(${list([map, ...path.map((step) => text(step))])})`;
  });
  const [only = NULL] = raws;
  const raw = raws.length === 1 ? only : sql`arrayFirst(r -> r NOT IN ('', 'null'), [${list(raws)}])`;
  const of = sql`arrayMap(r -> ${taggedJson(sql`r`)}, [${raw}])[1]`;
  const { text: written, tagged, exists } = taggedDynamic(of, isText);
  return {
    holds: sql`(${raw} NOT IN ('', 'null'))`,
    value: {
      ...{ text: written, tagged, exists },
      read: (type, missing) => sql`arrayMap(t -> ${taggedDynamic(sql`t`, isText).read(type, missing)}, [${of}])[1]`,
    },
  };
}

function textBranches(place: Place): readonly Branch[] {
  if (place.maps.kind === 'text') return entriesOf(place);
  return entriesOf(place).map(({ holds, value, type }) => {
    return { holds, value: type === 'string' || type === 'json' ? value : sql`toString(${value})`, zero: false };
  });
}

/** Texts come before values of other types, and the first place before others. */
function textOfFirst({ maps, key }: Place): NonNullable<Dynamic['ofText']> {
  const value = once(() => sql`${maps.kind === 'text' ? maps.map : maps.string}[${text(key)}]`);
  return {
    get holds() {
      return sql`(${value()} != '')`;
    },
    get value() {
      return value();
    },
  };
}

/** The number that the text of the value is, without writing numbers as texts first. No other value is a number as text. */
function numberBranches(place: Place): readonly Branch[] {
  return entriesOf(place).map(({ holds, value, type }) => ({ holds, value: numberAs(type, value), zero: false }));
}

function numberAs(type: AttributeType, value: Sql): Sql {
  switch (type) {
    case 'string':
      return sql`toFloat64OrNull(${value})`;
    case 'int':
      return sql`toFloat64(${value})`;
    case 'float':
      return value;
    case 'bool':
    case 'json':
      return NULL;
  }
}

/** A place without numbers only matters where it hides a later one. */
function upToNumbers(branches: readonly Branch[]): readonly Branch[] {
  return branches.slice(0, branches.findLastIndex(({ value }) => value !== NULL) + 1);
}

function taggedBranches(place: Place): readonly Branch[] {
  const { maps, key, inside } = place;
  if (inside) {
    const { holds, value } = inMap(place, inside);
    return [{ holds, value: value.tagged, zero: false }];
  }
  return entriesOf(place).map(({ holds, value, type }) => ({
    holds,
    value: taggedAs(type, value, maps, key),
    zero: false,
  }));
}

function taggedAs(type: AttributeType, value: Sql, maps: AttributeMaps, key: string): Sql {
  switch (type) {
    case 'string': {
      const types = maps.kind === 'text' ? maps.types : undefined;
      // What was sent as text has no entry among the types, and neither has anything where types were not kept yet.
      return sql`concat(${types ? letterOf(types, key) : sql`'s'`}, ${value})`;
    }
    case 'int':
      return sql`concat('n', toString(${value}))`;
    case 'float':
      return taggedFloat(value);
    case 'bool':
      return taggedBool(value);
    case 'json':
      return sql`concat('j', ${value})`;
  }
}

function letterOf(types: Sql, key: string): Sql {
  if (key.includes('\0') || key.includes('\x01')) return sql`'s'`;
  const entry = sql`concat('\\0', ${text(key)}, '\\x01')`;
  const length = new TextEncoder().encode(key).length + 2;
  return sql`if(position(${types}, ${entry}) = 0, 's', substring(${types}, position(${types}, ${entry}) + ${length}, 1))`;
}

function branchesOf(place: Place, type: ReadType, missing: Sql): readonly Branch[] {
  const { maps, key, inside } = place;
  if (inside) {
    const { holds, value } = inMap(place, inside);
    return [{ holds, value: value.read(type, missing === NULL ? undefined : missing), zero: false }];
  }
  if (maps.kind === 'typed') return typedBranches(maps, key, type);
  const { holds, value } = textEntry(maps.map, key, maps.empty);
  if (type === 'string') return [{ holds, value, zero: true }];
  // A text that is not a number counts as missing.
  return [{ holds, value: dynamicText(value).read(type, missing === NULL ? undefined : missing), zero: false }];
}

function typedBranches(maps: Typed, key: string, type: ReadType): Branch[] {
  const of = (wanted: AttributeType) => typedEntry(maps, key, wanted);
  switch (type) {
    case 'string':
    case 'int':
    case 'bool':
      return [of(type)];
    case 'array':
    case 'map':
      return [of('json')];
    case 'fraction':
      return [of('float')];
    case 'float': {
      const int = of('int');
      return [{ ...int, value: sql`toFloat64(${int.value})` }, of('float')];
    }
    case 'whole':
      return [of('int'), { ...of('float'), value: NULL, zero: false }];
    case 'rest':
      return [{ ...of('int'), value: NULL, zero: false }, of('float')];
  }
}

function typedEntry(maps: Typed, key: string, type: AttributeType): Branch {
  if (type === 'string') return textEntry(maps.string, key, maps.empty);
  const value = sql`${maps[type]}[${text(key)}]`;
  // JSON is never an empty text.
  const holds = type === 'json' ? sql`(${value} != '')` : sql`mapContains(${maps[type]}, ${text(key)})`;
  return { holds, value, zero: true };
}

/**
 * The entry of a map of texts. A map returns an empty text for a missing key, and a check for the key reads all its keys,
 * which costs four times as much as the entry itself. So only an empty text is looked up among the names of those that were
 * sent empty: there is hardly ever one, in a small column.
 */
function textEntry(map: Sql, key: string, empty: Sql | undefined): Branch {
  const value = sql`${map}[${text(key)}]`;
  // A name with a zero byte of its own is not among them.
  if (!empty || key.includes('\0')) return { holds: sql`mapContains(${map}, ${text(key)})`, value, zero: true };
  const isEmpty = sql`(position(${empty}, concat('\\0', ${text(key)}, '\\0')) > 0)`;
  return { holds: sql`(${value} != '' OR ${isEmpty})`, value, zero: true };
}

/**
 * Equality with a text that is not empty, in a form that uses the indexes of the maps' values. A part without an index
 * reads one bucket of each map, since a check for the key would read all keys, four times as much. So an empty text does
 * not hide a text in a later place.
 */
function indexedEquality(places: readonly Place[], value: Sql): Sql {
  const texts = places.map((place) => {
    const { maps, key, inside } = place;
    return inside
      ? inMap(place, inside).value.read('string', MISSING.string)
      : sql`${maps.kind === 'text' ? maps.map : maps.string}[${text(key)}]`;
  });
  return some(
    texts.map((read, at) =>
      all([sql`${read} = ${value}`, ...texts.slice(0, at).map((earlier) => sql`${earlier} = ''`)]),
    ),
  );
}
