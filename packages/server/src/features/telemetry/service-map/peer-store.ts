/** What a span calls that sends no spans itself, by its attributes. */

const attribute = (...names: string[]) =>
  `coalesce(${names.map((name) => `nullIf(string_attributes['${name}'], '')`).join(', ')}, '')`;

export const noSpan = `toFixedString('', 8)`;
export const databaseSystem = attribute('db.system.name', 'db.system');
export const databaseName = attribute('db.namespace', 'db.name', 'server.address', 'net.peer.name');
export const queueSystem = attribute('messaging.system');
export const queueName = attribute('messaging.destination.name', 'messaging.destination');
export const outside = attribute('peer.service', 'server.address', 'net.peer.name', 'http.host');
/** `postgresql/orders`; the system alone if nothing more is known. */
export const named = (system: string, name: string) => `if(${name} = '', ${system}, concat(${system}, '/', ${name}))`;
