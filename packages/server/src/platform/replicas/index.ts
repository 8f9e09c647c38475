export { joinReplicas, type Membership, ReplicaRefused, replicaId } from './replicas.ts';
export type { Replica, StoredTo } from './rules.ts';
export { createStoredTo } from './stored-to.ts';
