import { z } from 'zod';
import { Count, Description, Id, Key, Name, SearchText, Time, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';
import { FlagChange } from './flag-changes.ts';
import { Clause, Shares, Submission } from './targeting.ts';

const path = '/workspaces/{ws}/projects/{p}/segments';

const UnitKeys = z.array(z.string().min(1).max(1024)).max(1_000_000);
export const SegmentRule = z.strictObject({ clauses: z.array(Clause).max(50), shares: Shares });
const Facts = {
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
  included_count: Count,
  excluded_count: Count,
  rules: z.array(SegmentRule),
  version: Version,
  created_at: Time,
  updated_at: Time,
  updated_by: z.string().nullable(),
};
/** Lists contain only the number of keys. */
export const SegmentSummary = z.object(Facts);
export const Segment = z.object({
  ...Facts,
  included: z.array(z.string()),
  excluded: z.array(z.string()),
  used_by: z.object({
    flags: z.array(z.object({ flag: z.string(), environment: z.string() })).meta({ description: 'at most 500' }),
    segments: z.array(z.string()),
  }),
});

export const listSegments = route({
  id: 'segments.list',
  method: 'GET',
  path,
  summary: 'List segments',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: { search: SearchText.optional() },
  response: SegmentSummary,
});
export const createSegment = route({
  id: 'segments.create',
  bodyLimit: 'bulk',
  example: { body: { key: 'beta', name: 'Beta users' } },
  method: 'POST',
  path,
  summary: 'Create a segment',
  auth: 'user',
  permission: 'flags:write',
  body: z.strictObject({
    key: Key,
    name: Name,
    description: Description.default(''),
    included: UnitKeys.default([]),
    excluded: UnitKeys.default([]),
    rules: z.array(SegmentRule).max(200).default([]),
  }),
  response: SegmentSummary,
  errors: ['KEY_TAKEN', 'LIMIT_REACHED', 'SEGMENT_INVALID', 'SEGMENT_CYCLE'],
});
export const getSegment = route({
  id: 'segments.get',
  method: 'GET',
  path: `${path}/{skey}`,
  summary: 'Get a segment with its keys and its uses',
  auth: 'user',
  permission: 'flags:read',
  response: Segment,
  errors: ['SEGMENT_NOT_FOUND'],
});
export const SegmentKeys = z.strictObject({ included: UnitKeys.optional(), excluded: UnitKeys.optional() });
export const updateSegment = route({
  id: 'segments.update',
  bodyLimit: 'bulk',
  example: { body: { included: ['user-1'] } },
  method: 'PATCH',
  path: `${path}/{skey}`,
  summary: 'Change a segment',
  description: '`included` and `excluded` replace the lists; `add` and `remove` change them key by key.',
  auth: 'user',
  permission: 'flags:write',
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({
    name: Name.optional(),
    description: Description.optional(),
    included: UnitKeys.optional(),
    excluded: UnitKeys.optional(),
    add: SegmentKeys.optional(),
    remove: SegmentKeys.optional(),
    rules: z.array(SegmentRule).max(200).optional(),
    version: VersionIfKnown,
    ...Submission,
  }),
  response: SegmentSummary,
  errors: ['SEGMENT_NOT_FOUND', 'SEGMENT_INVALID', 'SEGMENT_CYCLE', 'STALE_VERSION', 'LIMIT_REACHED'],
});
export const removeSegment = route({
  id: 'segments.remove',
  method: 'DELETE',
  path: `${path}/{skey}`,
  summary: 'Delete an unused segment',
  auth: 'user',
  permission: 'flags:write',
  errors: ['SEGMENT_NOT_FOUND', 'SEGMENT_IN_USE'],
});
