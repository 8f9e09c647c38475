import {
  markTelemetry,
  migrateTelemetry,
  readTelemetryMark,
  type TelemetryMigration,
  migrations as telemetryMigrations,
  unmarkTelemetry,
} from '../platform/clickhouse/index.ts';
import { type MoveMark, refuseMarked } from '../platform/move-mark.ts';
import type { DatabaseConnection } from '../platform/postgres/database.ts';
import { migrations as controlMigrations, type Migration, migrate } from '../platform/postgres/migrate.ts';
import { markControl, readControlMark, unmarkControl } from '../platform/postgres/move-mark.ts';
import { readControlContent } from './control-store.ts';
import type { Side } from './sides.ts';
import { createViews, dropViews, readTelemetryContent, setExpiry, setMerges } from './telemetry-content-store.ts';
import { DATABASE, listTelemetryTables, type TelemetrySide, type TelemetryTable } from './telemetry-store.ts';

/** The marks that the stores of a side have, undefined where there is none or no such store. */
export interface Marks {
  readonly control: MoveMark | undefined;
  readonly telemetry: MoveMark | undefined;
}

export async function readMarks({ control, telemetry }: Side): Promise<Marks> {
  return {
    control: control && (await readControlMark(control.db)),
    telemetry:
      telemetry && (await readTelemetryContent(telemetry)) !== undefined
        ? await readTelemetryMark(telemetry.clickhouse)
        : undefined,
  };
}

/**
 * Checks a target before anything is written to it: each store must be empty, or filled by an earlier call.
 * @param isOwn whether a mark is of an earlier call
 * @throws Error for a store that is not empty, of a newer version, or of another move
 */
export async function checkTarget(side: Side, marks: Marks, isOwn: (mark: MoveMark) => boolean): Promise<void> {
  for (const [mark, store] of [
    [marks.control, 'control plane'],
    [marks.telemetry, 'telemetry store'],
  ] as const) {
    if (mark === undefined || isOwn(mark)) continue;
    if (mark.state === 'unfinished')
      throw new Error(`the target is not empty: another move into this ${store} is not complete; empty it first`);
    refuseMarked(mark, store);
  }
  if (side.control !== undefined && marks.control === undefined) await checkControl(side.control);
  if (side.telemetry !== undefined && marks.telemetry === undefined) await checkTelemetry(side.telemetry);
}

async function checkControl({ db }: DatabaseConnection): Promise<void> {
  const { filled, migration } = await readControlContent(db);
  refuseNewer('PostgreSQL', migration, controlMigrations.at(-1)?.id ?? 0);
  if (filled.length > 0)
    throw new Error(`the target is not empty: the PostgreSQL database has rows in ${filled.slice(0, 5).join(', ')}`);
}

async function checkTelemetry(side: TelemetrySide): Promise<void> {
  const content = await readTelemetryContent(side);
  if (content === undefined) return;
  refuseNewer('ClickHouse', content.migration, telemetryMigrations.at(-1)?.id ?? 0);
  if (content.rows > 0)
    throw new Error(`the target is not empty: the ClickHouse database ${DATABASE} has ${content.rows} rows`);
}

function refuseNewer(store: string, found: number, newest: number): void {
  if (found > newest)
    throw new Error(`the ${store} target has version ${found} of the schema, and this release knows ${newest}`);
}

/** The migrations that a target gets. */
export interface Schema {
  readonly control: readonly Migration[];
  readonly telemetry: readonly TelemetryMigration[];
}

const newestSchema: Schema = { control: controlMigrations, telemetry: telemetryMigrations };

/** Creates the schema in a target, marked as incomplete, so that no server uses it before the end. */
export async function prepareTarget(
  { control, telemetry, addresses }: Side,
  mark: MoveMark,
  schema: Schema = newestSchema,
): Promise<void> {
  const url = addresses.telemetry;
  if (control !== undefined && (await readControlMark(control.db)) === undefined)
    await migrate(control.db, undefined, schema.control);
  if (control !== undefined) await markControl(control.db, mark);
  if (telemetry === undefined || url === undefined) return;
  const isMarked = (await readTelemetryContent(telemetry)) && (await readTelemetryMark(telemetry.clickhouse));
  if (!isMarked) {
    await migrateTelemetry({ url, database: DATABASE, migrations: schema.telemetry });
    await markTelemetry(telemetry.clickhouse, mark);
  }
  await dropViews(telemetry, schema.telemetry);
  const tables = await listTelemetryTables(telemetry);
  await setExpiry(telemetry, tables, 'STOP');
  // The rows of these are compared before they are combined.
  await setMerges(telemetry, tables.filter(combines), 'STOP');
}

/** Gives a complete target to servers. Can be repeated. */
export async function finishTarget({ control, telemetry }: Side, schema: Schema = newestSchema): Promise<void> {
  if (telemetry !== undefined) {
    await createViews(telemetry, schema.telemetry);
    const tables = await listTelemetryTables(telemetry);
    await setMerges(telemetry, tables.filter(combines), 'START');
    await setExpiry(telemetry, tables, 'START');
    await unmarkTelemetry(telemetry.clickhouse);
  }
  if (control !== undefined) await unmarkControl(control.db);
}

function combines(table: TelemetryTable): boolean {
  return table.combines;
}
