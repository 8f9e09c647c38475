import type { ColumnType } from 'kysely';

/** A time that the database sets by default. */
export type Now = ColumnType<Date, Date | undefined, Date>;
/** Read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;
