import { allIntents, type CloseCodeName, intents } from '../../model/gateway.ts';
import type { ClientInfo, PresenceUpdate } from '../../model/presence.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Principal } from '../auth/principal.ts';
import { serviceLimits } from '../support/service-limits.ts';
import { readPresence } from './presence/presence-update.ts';
import { readShard, type Shard } from './sessions/shard.ts';

/** An Identify, checked for its shape. */
export interface Identity {
  readonly token: string;
  /** Undefined: not given. */
  readonly intents: number | undefined;
  /** Null: not sharded. */
  readonly shard: Shard | null;
  readonly capabilities: number;
  readonly largeThreshold: number;
  readonly compress: boolean;
  readonly client: ClientInfo;
  /** The presence of a bot; undefined: not given. */
  readonly presence: PresenceUpdate | undefined;
}

/**
 * Reads Identify's `d`, or returns the code that closes the connection.
 *
 * Unspecified: a bad presence is a bad payload (4001); the presence of an OAuth2 session, which may not set one, is
 * ignored.
 *
 * @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#close-codes; docs/spec/gateway.md#players-sessions
 */
export function readIdentify(d: unknown): Identity | CloseCodeName {
  const fields = asRecord(d);
  if (!fields) return 'UNKNOWN_OPCODE';
  if (typeof fields.token !== 'string') return 'AUTHENTICATION_FAILED';
  if (fields.intents !== undefined && !isBits(fields.intents, allIntents)) return 'INVALID_INTENTS';
  const shard = fields.shard == null ? null : readShard(fields.shard);
  if (shard === undefined) return 'INVALID_SHARD';
  const isBearer = fields.token.startsWith('Bearer ');
  const presence = fields.presence == null || isBearer ? undefined : readPresence(fields.presence);
  if (presence === 'malformed') return 'UNKNOWN_OPCODE';
  return {
    token: fields.token,
    intents: fields.intents,
    shard,
    capabilities: isBits(fields.capabilities) ? fields.capabilities : 0,
    largeThreshold: readLargeThreshold(fields.large_threshold),
    compress: fields.compress === true,
    client: readClient(asRecord(fields.properties)),
    presence,
  };
}

const osLengthMax = 32;

/**
 * Unspecified: the kind of program follows from the properties `os` and `browser`, in the form that clients send; whatever they do not
 * tell counts as a program on a desktop.
 *
 * @see docs/spec/social.md#sessions
 */
function readClient({ os, browser }: Readonly<Record<string, unknown>> = {}): ClientInfo {
  const system = typeof os === 'string' ? os.toLowerCase().slice(0, osLengthMax) : '';
  const program = typeof browser === 'string' ? browser.toLowerCase() : '';
  return { client: kindOf(program, system), os: system, version: 0 };
}

function kindOf(program: string, system: string): string {
  if (program === 'discord embedded')
    return consoles.test(system) ? 'embedded' : mobiles.test(system) ? 'mobile' : 'desktop';
  if (program === 'discord vr') return 'vr';
  if (mobiles.test(system) || mobiles.test(program)) return 'mobile';
  return browsers.test(program) ? 'web' : 'desktop';
}

const consoles = /xbox|playstation|ps[45]/;
const mobiles = /android|ios|iphone|ipad/;
const browsers = /chrome|firefox|safari|edge|opera|mozilla|web/;

/** The kinds of credential that open a session. */
export type SessionPrincipal = Extract<Principal, { kind: 'bot' | 'user' | 'session' }>;

/**
 * Checks whether the credential may open this session; otherwise returns the code that closes the connection.
 *
 * Unspecified: a bot that requests intents of players requests what bots cannot have (4014, not 4013); every application
 * has its privileged intents; a user's own client need not name intents, because it receives all events of its user.
 *
 * @see docs/spec/gateway.md#intents
 */
export function admit(principal: Principal | undefined, { intents }: Identity): SessionPrincipal | CloseCodeName {
  const admitted = admitResume(principal);
  if (typeof admitted === 'string' || admitted.kind === 'session') return admitted;
  if (intents === undefined) return 'INVALID_INTENTS';
  return admitted.kind === 'bot' && intents & playersIntents ? 'DISALLOWED_INTENTS' : admitted;
}

/**
 * Checks whether the credential may resume a session of its own; otherwise returns the code that closes the
 * connection.
 *
 * Unspecified: an OAuth2 token without the scopes for it fails authentication.
 */
export function admitResume(principal: Principal | undefined): SessionPrincipal | CloseCodeName {
  switch (principal?.kind) {
    case 'user':
      return mayConnect(principal.scopes) ? principal : 'AUTHENTICATION_FAILED';
    case 'bot':
    case 'session':
      return principal;
    default:
      return 'AUTHENTICATION_FAILED';
  }
}

/** @see docs/spec/gateway.md#players-sessions */
function mayConnect(scopes: ReadonlySet<string>): boolean {
  return scopes.has('identify') && (scopes.has('gateway.connect') || scopes.has('voice'));
}

const playersIntents =
  intents.PRIVATE_CHANNELS |
  intents.CALLS |
  intents.USER_RELATIONSHIPS |
  intents.USER_PRESENCE |
  intents.LOBBIES |
  intents.LOBBY_DELETE;

function isBits(value: unknown, allowed = ~0): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31 && !(value & ~allowed);
}

function readLargeThreshold(value: unknown): number {
  const { gatewayLargeThresholdMin: min, gatewayLargeThresholdMax: max } = serviceLimits;
  return typeof value === 'number' && value >= min && value <= max ? value : min;
}
