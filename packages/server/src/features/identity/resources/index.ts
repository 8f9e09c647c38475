/**
 * What the resources of a workspace have in common: the statements of their tables (`table-store.ts`), and their
 * writes (`writes.ts`): in one transaction the limit, the version, the row and the audit entry. What is special about a
 * resource is in its own folder.
 */

export {
  pageOfPlaced,
  placeColumns,
  placeIn,
  placeOfRow,
  type ResourcePlace,
  requireReadablePlace,
  scopeOf,
} from './place.ts';
export { presentCreation, presentVersion } from './present.ts';
export { type Authored, authored, type Created, created, type Placed, placed, ResourceTable } from './table-store.ts';
export {
  audit,
  changeResource,
  createResource,
  existing,
  findResource,
  firstVersion,
  newRow,
  type Resource,
  removeResource,
  type Writer,
  writing,
} from './writes.ts';
