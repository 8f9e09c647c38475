/**
 * A door for the operator of this machine: a Unix socket in the data directory. The permission of the file is the authorization. It
 * carries commands that only make sense there, such as backups into a directory.
 */

export { askOperator, NoServer } from './client.ts';
export { type OperatorCommand, openOperatorSocket } from './server.ts';
