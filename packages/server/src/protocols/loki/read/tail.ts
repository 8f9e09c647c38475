import type { WebSocket } from 'ws';
import {
  type Look,
  lookOf,
  maxRowsOfLook,
  recheckTail,
  rowKey,
  type SeenRow,
  startOf,
  type TailQuery,
  type TailSink,
  type Tails,
} from '../../../features/telemetry/tail/index.ts';
import type { Access } from '../../../http/caller.ts';
import type { LiveUses } from '../../../http/live-uses.ts';
import { acceptWebSocket, isHandshake, sendOrCut } from '../../../http/web-sockets.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import { type Failure, fail } from '../../../platform/fail.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import { type ForeignRequest, type Parameters, parametersOf, placeOf } from '../../read/request.ts';
import { explained } from './answer.ts';
import { type Line, lineFields } from './line-rules.ts';
import { asked, type Reader, readerOf, readLines, sortedLines } from './lines.ts';
import type { LogQuery } from './logql/ast.ts';
import { parseLogql } from './logql/parse.ts';
import { delayOf, limitOf, timeNs } from './parameter-rules.ts';
import type { QueryParts } from './queries.ts';
import { inOrder } from './streams.ts';

export interface TailParts extends QueryParts {
  readonly tails: Tails;
  readonly access: Access;
  readonly uses: LiveUses;
}

const hourNs = 3_600_000_000_000n;

/** Sends lines over a WebSocket as they arrive. What is wrong with a query is an HTTP error, before the handshake completes. */
export async function tail(parts: TailParts, context: ForeignRequest): Promise<void> {
  const { request, reply, workspace, caller } = context;
  const parameters = parametersOf(context.query);
  const place = placeOf(context);
  const reader = readerOf(parts.gateway, parts.limits, place);
  const query = linesOf(parameters);
  const limit = limitOf(parameters, parts.limits.answerLines);
  const delayNs = delayOf(parameters);
  if (!isHandshake(request))
    throw fail('LOKI_PARAMETER_INVALID', { reason: 'this route requires a WebSocket: request an upgrade' });

  const nowNs = BigInt(parts.now()) * 1_000_000n;
  const start = parameters.one('start');
  const wantedNs = start === undefined ? nowNs - hourNs : timeNs('start', start);
  const startNs = startOf({ fromNs: wantedNs, lastEventId: undefined }, nowNs);
  const earlier = { fromNs: wantedNs < startNs ? wantedNs : startNs, toNs: startNs };
  const history = await sortedLines(reader, await asked(reader, query, earlier), {
    ...{ window: earlier, limit, isForward: false },
  });

  const { id, number } = workspace;
  const recheck = () => recheckTail(parts.access, request, scopeNames(id, parameters));
  const follow = { workspace: number, requestId: request.id, startNs, delayNs, lastsMs: undefined, recheck };
  const seat = parts.tails.enter(number);
  whenClosed(reply.raw, seat.leave);
  acceptWebSocket(request, reply, (socket) => {
    const ofTail = { ...follow, query: tailQuery(reader, query) };
    const end = seat.follow(ofTail, socketSink(socket, { history: history.toReversed(), limit }));
    whenClosed(reply.raw, parts.uses.add({ userId: caller.user.id, workspaceId: id, recheck, end }));
  });
}

function linesOf(parameters: Parameters): LogQuery {
  const query = parseLogql(parameters.one('query') ?? '');
  if (query.kind === 'lines') return query;
  throw fail('LOKI_PARAMETER_INVALID', { reason: 'only queries of log lines can be tailed, not metric queries' });
}

function scopeNames(workspace: string, parameters: Parameters) {
  return { workspace, project: parameters.one('project'), environment: parameters.one('environment') };
}

/** The signal of a poll is that of the tail, which outlasts the request. */
function tailQuery(reader: Reader, query: LogQuery): TailQuery<Line> {
  const within = async (window: Window, signal: AbortSignal) => {
    const polling = { ...reader, signal };
    // Names of attributes that arrived since the last poll change what the store must compare.
    const { oql, remains, isFiltered } = await asked(polling, query, window).catch((error: unknown) => {
      throw explained(error);
    });
    const between = `time >= ${formatNs(window.fromNs)} and time < ${formatNs(window.toNs)}`;
    return { polling, oql: `${oql} | where ${between}`, remains, isFiltered };
  };
  return {
    async look(fromNs, toNs, _nowMs, signal): Promise<Look<Line>> {
      const window = { fromNs, toNs };
      const { polling, oql, remains, isFiltered } = await within(window, signal);
      const limit = isFiltered ? reader.limits.answerLines : maxRowsOfLook;
      const rows: SeenRow<Line>[] = [];
      let oldestNs: bigint | undefined;
      let newestNs: bigint | undefined;
      const isMore = await readLines(
        polling,
        `${oql} | sort -time | fields ${lineFields}`,
        { window, limit },
        (line) => {
          const { timeNs, text, stream, metadata } = line;
          oldestNs = timeNs;
          newestNs ??= timeNs;
          const key = rowKey([String(timeNs), text, [...stream], [...metadata]]);
          if (rows.length <= maxRowsOfLook && remains(line)) rows.push({ key, timeNs, row: line });
        },
      );
      const shown = lookOf(rows);
      return shown.isFull ? { ...shown, newestNs } : { ...shown, isFull: isMore, newestNs, oldestNs };
    },
    async count(fromNs, toNs, signal) {
      const window = { fromNs, toNs };
      const { polling, oql } = await within(window, signal);
      const budget = { lane: 'interactive', signal } as const;
      const counting = { oql: `${oql} | stats n=count()`, window, limit: 1 };
      const { rows } = await polling.gateway.ask(reader.scope, counting, budget);
      return Number(rows[0]?.[0] ?? 0);
    },
  };
}

/** Messages of a tail. The first has at most `limit` lines, of `history` and of the first poll. */
function socketSink(
  socket: WebSocket,
  { history, limit }: { history: readonly Line[]; limit: number },
): TailSink<Line> {
  let isFirst = true;
  const send = (message: object) => sendOrCut(socket, JSON.stringify(message));
  return {
    whenGone: (then) => socket.once('close', then),
    isGone: () => socket.readyState !== socket.OPEN,
    begin() {},
    async rows(rows) {
      const fresh = rows.map(({ row }) => row);
      const lines = isFirst ? [...history, ...fresh].slice(-limit) : fresh;
      isFirst = false;
      return lines.length > 0 && send({ streams: await inOrder(lines) });
    },
    dropped({ fromNs }) {
      send({ streams: [], dropped_entries: [{ timestamp: String(fromNs), labels: {} }] });
    },
    heartbeat: () => socket.ping(),
    end: (failure) => socket.close(failure === undefined ? 1000 : codeOf(failure), reasonOf(failure)),
    stop: () => socket.close(1001, 'the server stops'),
  };
}

/** 1008: the caller may no longer read this; 1011: the server cannot continue. */
function codeOf({ status }: Failure): number {
  return status === 401 || status === 403 || status === 404 ? 1008 : 1011;
}

/** At most 123 bytes (RFC 6455 §5.5). */
function reasonOf(failure: Failure | undefined): string {
  const ascii = (failure?.message ?? '').replaceAll(/[^ -~]/g, '?');
  return ascii.slice(0, 123);
}
