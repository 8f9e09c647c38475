export { type ClockGuard, createClockGuard, sameClock } from './clock-guard.ts';
export { createOthersStored, type OthersStored } from './others-stored.ts';
export { joinReplicas, type Membership, ReplicaRefused, replicaId } from './replicas.ts';
export type { Replica, SeenReplica, StoredTo } from './rules.ts';
export { findReplicas } from './store.ts';
export { createUnstored } from './unstored.ts';
