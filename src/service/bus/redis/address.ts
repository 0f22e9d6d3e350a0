import { BusError } from '../errors.ts';

/** Where the Redis server of a cluster is. */
export interface RedisAddress {
  readonly url: string;
  /** Path of a unix socket, instead of a host. */
  readonly path: string | undefined;
  /** The number of the database: everything of one cluster lies under it, channels included. */
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** For messages and logs, without credentials. */
  readonly shown: string;
}

/**
 * Reads `redis://[user[:password]@]host[:port][/NUMBER]`, `rediss://…` (TLS) or `unix:///path/to/socket[?db=NUMBER]`.
 *
 * @throws BusError `bus_unusable`
 */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['redis:', 'rediss:', 'unix:'].includes(url.protocol)) throw malformed();
  const isSocket = url.protocol === 'unix:';
  const number = isSocket ? (url.searchParams.get('db') ?? '') : url.pathname.replace(/^\//, '');
  if (!/^\d{0,5}$/.test(number) || (isSocket ? url.pathname.length < 2 : url.hostname === '')) throw malformed();
  const database = Number(number);
  const path = isSocket ? decoded(url.pathname) : undefined;
  return {
    ...{ path, database },
    url: path === undefined ? `${url.protocol}//${url.host}` : '',
    username: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    shown: path === undefined ? `${url.protocol}//${url.host}/${database}` : `unix://${path}?db=${database}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

function malformed(): BusError {
  return new BusError(
    'bus_unusable',
    'The address of Redis must be redis://host:port/NUMBER, with user:password@ or without.',
  );
}
