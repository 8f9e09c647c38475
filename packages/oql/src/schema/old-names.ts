/**
 * Attributes that OpenTelemetry has renamed, old name to today's. What an older SDK sent stays under its old name, so a
 * query by the old name reads both, today's first. Source: the semantic conventions' migration guides for HTTP, database,
 * messaging, network and RPC, and the deprecated attribute registry.
 */
export const OLD_NAMES: Readonly<Record<string, string>> = {
  'http.method': 'http.request.method',
  'http.status_code': 'http.response.status_code',
  'http.url': 'url.full',
  'http.scheme': 'url.scheme',
  'http.target': 'url.path',
  'http.host': 'server.address',
  'http.server_name': 'server.address',
  'http.user_agent': 'user_agent.original',
  'http.client_ip': 'client.address',
  'http.flavor': 'network.protocol.version',
  'http.request_content_length': 'http.request.body.size',
  'http.response_content_length': 'http.response.body.size',
  'http.resend_count': 'http.request.resend_count',
  'net.peer.name': 'server.address',
  'net.peer.port': 'server.port',
  'net.peer.ip': 'network.peer.address',
  'net.sock.peer.addr': 'network.peer.address',
  'net.sock.peer.port': 'network.peer.port',
  'net.host.name': 'server.address',
  'net.host.port': 'server.port',
  'net.transport': 'network.transport',
  'net.protocol.name': 'network.protocol.name',
  'net.protocol.version': 'network.protocol.version',
  'db.system': 'db.system.name',
  'db.name': 'db.namespace',
  'db.statement': 'db.query.text',
  'db.operation': 'db.operation.name',
  'db.sql.table': 'db.collection.name',
  'db.mongodb.collection': 'db.collection.name',
  'db.cassandra.table': 'db.collection.name',
  'db.redis.database_index': 'db.namespace',
  'messaging.destination': 'messaging.destination.name',
  'messaging.operation': 'messaging.operation.type',
  'messaging.message_id': 'messaging.message.id',
  'messaging.kafka.partition': 'messaging.destination.partition.id',
  'messaging.consumer_id': 'messaging.client.id',
  'enduser.id': 'user.id',
  'code.function': 'code.function.name',
  'code.filepath': 'code.file.path',
  'code.lineno': 'code.line.number',
  'gen_ai.system': 'gen_ai.provider.name',
  'feature_flag.variant': 'feature_flag.result.variant',
  'feature_flag.provider_name': 'feature_flag.provider.name',
};

const olderNames = new Map<string, string[]>();
for (const [old, today] of Object.entries(OLD_NAMES)) {
  olderNames.set(today, [...(olderNames.get(today) ?? []), old]);
}

/** Today's name of an old one. */
export function todaysName(name: string): string | undefined {
  return Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : undefined;
}

/** The names under which older SDKs send what has this name today. */
export function formerNames(name: string): readonly string[] {
  return olderNames.get(name) ?? [];
}
