import type { ColumnType } from 'kysely';

/** A moment that the database fills in where none is given. */
export type Now = ColumnType<Date, Date | undefined, Date>;
/** Read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;
