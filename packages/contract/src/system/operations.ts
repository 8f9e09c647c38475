import { z } from 'zod';
import { Count, Id, Time } from '../primitives.ts';
import { route } from '../route.ts';
import { Dependency } from './platform.ts';

const Seconds = z.number();
const Bytes = z.number().min(0);
const Text = (example: string) => z.string().meta({ examples: [example] });

export const OperationsProblem = z.object({
  severity: z.enum(['critical', 'warning']),
  what: z.string().meta({ description: 'what is wrong', examples: ['The telemetry store is down.'] }),
  mend: z
    .string()
    .meta({ description: 'what mends it', examples: ['Start ClickHouse. Telemetry waits in the write-ahead log.'] }),
});

export const Operations = z.object({
  problems: z.array(OperationsProblem).meta({ description: 'the most severe first' }),
  servers: z
    .array(
      z.object({
        id: Id,
        roles: z.array(Text('api')),
        version: Text('0.3.0'),
        started_at: Time,
        silent_seconds: Seconds.meta({ description: 'since its last heartbeat' }),
        answers: z.boolean().meta({ description: 'this is the server that answers' }),
      }),
    )
    .meta({ description: 'those that share the control plane' }),
  stores: z.array(Dependency),
  ingest: z.object({
    log_bytes: Bytes,
    log_max_bytes: Bytes,
    log_age_seconds: Seconds.meta({ description: 'age of the oldest telemetry that cannot be queried; 0: all can be' }),
    disk_free_bytes: Bytes,
    disk_free_ratio: z.number(),
    insert_seconds: Seconds.nullable().meta({ description: 'mean since the start; null: nothing was inserted' }),
    refused: z
      .array(
        z.object({
          signal: Text('logs'),
          kind: Text('rejected'),
          reason: Text('time is older than the retention'),
          count: Count,
        }),
      )
      .meta({ description: 'since the start, the most frequent first' }),
  }),
  late_jobs: z
    .array(
      z.object({
        name: Text('slos.recount'),
        late_seconds: Seconds,
        failures: Count,
        error: Text('Query read timeout').nullable(),
      }),
    )
    .meta({ description: 'of all servers, the latest first' }),
  alerts: z.object({
    evaluated: Count,
    failed: Count,
    lag_seconds: Seconds.nullable().meta({ description: 'mean since the start; null: nothing was evaluated' }),
  }),
  notifications: z.object({ delivered: Count, retried: Count, given_up: Count }),
  backups: z.object({
    scheduled: z.boolean(),
    failed: Count,
    last_success_at: Time.nullable(),
  }),
  certificate_expires_at: Time.nullable().meta({ description: 'null: the server speaks plain HTTP' }),
  self_telemetry: z.object({
    on: z.boolean(),
    project: z
      .object({ id: Id, key: Text('fanion') })
      .nullable()
      .meta({ description: 'null: the project does not exist yet' }),
    stored: Count,
    dropped: Count,
  }),
});

export const getOperations = route({
  id: 'operations.get',
  method: 'GET',
  path: '/workspaces/{ws}/operations',
  summary: 'Get the state of the server: problems, servers, stores, ingest, jobs, alerting, backups',
  description:
    "Only in the workspace of the server's operators: that of the project for self-telemetry, by default the oldest one. Figures are of the server that answers, and count since it started, unless they say otherwise.",
  auth: 'user',
  permission: 'audit:read',
  response: z.object({
    operations: Operations.nullable().meta({ description: "null: this is not the operators' workspace" }),
  }),
});
