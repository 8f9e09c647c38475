export { joinReplicas, type Membership, ReplicaRefused, replicaId } from './replicas.ts';
export type { Replica } from './rules.ts';
