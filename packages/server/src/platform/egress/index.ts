export { isRange } from './addresses.ts';
export {
  createEgress,
  type Egress,
  type EgressAnswer,
  EgressError,
  type EgressOptions,
  type OutgoingRequest,
} from './egress.ts';
