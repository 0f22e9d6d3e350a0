import type { ApplicationTraits } from '../model/application.ts';
import { ArgumentError } from '../model/errors/errors.ts';
import type { RateLimit } from '../model/limits/limit-profiles.ts';
import type { traitsUnknown } from '../model/rules/commands/plan/desired.ts';
import { type ApplicationId, parseSnowflake } from '../model/snowflake.ts';
import { resolveBaseUrl } from '../wire/addresses.ts';
import { requireNumber, requireType } from '../wire/arguments.ts';
import {
  type Clock,
  type Entropy,
  type Fetch,
  type Logger,
  type SocketFactory,
  silentLogger,
  systemClock,
  systemEntropy,
} from '../wire/clock/ports.ts';
import { unsetHint } from '../wire/environment-variables.ts';
import { reportErrors } from '../wire/error-report.ts';
import { loadSystemSocket } from '../wire/gateway/socket.ts';
import { deadlineMsDefault, Http } from '../wire/http/http.ts';
import { nodeTransport } from '../wire/http/node-transport.ts';
import { fetchTransport, type Transport } from '../wire/http/transport.ts';
import { RateLimiter } from '../wire/rate-limits/limiter.ts';
import { createCall } from './calls.ts';
import { createCommands, type GlobalCommands } from './commands/commands.ts';
import { createCredentials } from './credentials.ts';
import { createDirectMessages, type DirectMessages } from './direct-messages.ts';
import { createInteractions, type Interactions } from './interactions/interactions.ts';
import { createLobbies, type Lobbies } from './lobbies.ts';
import { Operations } from './operation.ts';
import { createOverwrites, type Overwrites, overwrittenIn } from './overwrites.ts';
import { type BackendParts, partsKey } from './parts.ts';
import { createPlayers, type Players } from './players.ts';
import { createProfiles, type Profiles } from './profiles.ts';
import { createProvisionalAccounts, type ProvisionalAccounts } from './provisional-accounts.ts';

export interface BackendOptions {
  /**
   * The address of the service: `https://host`, perhaps with a path. The API, the OAuth2 endpoints and the gateway follow
   * from it. A `/api` or `/api/v10` at its end is accepted too.
   *
   * There is no default: pass your own service's address, or {@link discordBaseUrl}. The type admits undefined so that
   * `process.env.RALLYPOINT_BASE_URL` can be passed as it is; the backend rejects undefined with `missing_base_url`.
   */
  readonly baseUrl: string | undefined;
  /** Needed. The backend rejects undefined and empty text with `missing_application_id`. */
  readonly applicationId: ApplicationId | undefined;
  /** The bot token, without `Bot `. Every call accepts it. Either this or {@link clientSecret} is needed. */
  readonly botToken?: string | undefined;
  /**
   * The OAuth2 client secret. Enough for commands: the backend fetches a token with it at the first call and keeps it. It is
   * also sent where players' tokens are exchanged.
   */
  readonly clientSecret?: string | undefined;
  /** Sends the credential unencrypted (`http:`) to other machines too, for example inside a cluster. Default false. */
  readonly allowUnencrypted?: boolean | undefined;
  /**
   * What the check of commands may assume about the application. Default {@link traitsUnknown}: nothing is rejected that
   * the service might accept.
   */
  readonly traits?: Partial<ApplicationTraits> | undefined;
  /** How long a call may take, with all its waits and retries. Default `deadlineMsDefault`, 15 seconds. */
  readonly deadlineMs?: number | undefined;
  /**
   * The rate limit over all calls. Default: 50 a second; applications may be granted more. `'off'` for a service that has
   * no such limit.
   */
  readonly globalLimit?: RateLimit | 'off' | undefined;
  readonly logger?: Logger | undefined;
  /** Sends requests by a `fetch` of yours in place of {@link transport}. */
  readonly fetch?: Fetch | undefined;
  /** Sends requests. Default: {@link nodeTransport}, which reuses connections and costs a fraction of `fetch`. */
  readonly transport?: Transport | undefined;
  readonly socket?: SocketFactory | undefined;
  readonly clock?: Clock | undefined;
  readonly entropy?: Entropy | undefined;
}

/** An application's backend. Every call waits for its rate limits, ends by its deadline and rejects with a typed error. */
export interface Backend {
  readonly applicationId: ApplicationId;
  readonly lobbies: Lobbies;
  /** Global commands, and those of guilds. */
  readonly commands: GlobalCommands;
  /** Who may use commands in a guild. */
  readonly overwrites: Overwrites;
  /** Players without an account of their own. */
  readonly provisionalAccounts: ProvisionalAccounts;
  readonly interactions: Interactions;
  /** Messages between players. */
  readonly directMessages: DirectMessages;
  /** Which player calls the game's server. */
  readonly players: Players;
  /** What the game reports about its players. */
  readonly profiles: Profiles;
  /** Aborts what is under way and closes every connection, with all managed lobbies. Idempotent. */
  close(): Promise<void>;
  /** The same as {@link close}: `await using backend = createBackend(…)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates an application's backend. Nothing is sent before the first call.
 *
 * @throws ArgumentError `missing_base_url`, `invalid_base_url`, `insecure_address`,
 *   `missing_application_id`, `invalid_snowflake`, `credential_missing`, `invalid_credential`, `invalid_deadline`,
 *   `invalid_argument`
 * @example
 * ```ts
 * const backend = createBackend({ baseUrl: 'http://127.0.0.1:8910', applicationId: '1', botToken });
 * const lobby = await backend.lobbies.create({ metadata: { map: 'harbour' }, members: [{ id: '9' }] });
 * await backend.lobbies.delete(lobby.id);
 * await backend.close();
 * ```
 */
export function createBackend(options: BackendOptions): Backend {
  // JavaScript callers may leave the options out.
  const { allowUnencrypted = false, baseUrl: given } = (options as BackendOptions | undefined) ?? {};
  const baseUrl = resolveBaseUrl(given, { allowUnencrypted });
  const { clock = systemClock, entropy = systemEntropy } = options;
  const logger = reportErrors(options.logger ?? silentLogger);
  const { deadlineMs = deadlineMsDefault } = options;
  const applicationId = readApplicationId(options.applicationId);
  const { socket, globalLimit } = options;
  checkGlobalLimit(globalLimit);

  const http = new Http({
    baseUrl,
    clock,
    entropy,
    logger,
    transport: options.transport ?? (options.fetch ? fetchTransport(options.fetch) : nodeTransport()),
    limiter: new RateLimiter({ clock, ...(globalLimit ? { global: globalLimit } : {}) }),
    deadlineMs,
  });
  const credentials = createCredentials(applicationId, options, http, clock);
  const call = createCall(http, credentials, clock, deadlineMs);
  const operations = new Operations(clock);
  const overwrites = createOverwrites(call, http, applicationId);
  const { commands, close: closeCommands } = createCommands({
    call,
    operations,
    deadlineMs,
    clock,
    logger,
    applicationId,
    traits: options.traits ?? {},
    overwritten: (guildId, callOptions) => overwrittenIn(overwrites, guildId, callOptions),
  });
  const interactions = createInteractions({
    call,
    operations,
    deadlineMs,
    credentials,
    clock,
    entropy,
    logger,
    allowUnencrypted,
    loadSocket: socket ? async () => socket : loadSystemSocket,
  });

  const closing = new Set<() => Promise<void>>();
  const parts: BackendParts = { clock, entropy, logger, deadlineMs, closing };

  async function close(): Promise<void> {
    const closed = Promise.all([interactions.close, ...closing].map(end => end()));
    operations.close();
    closeCommands();
    http.close();
    await closed;
  }

  const backend: Backend & { readonly [partsKey]: BackendParts } = {
    applicationId,
    lobbies: createLobbies(call, operations, deadlineMs),
    commands,
    overwrites,
    provisionalAccounts: createProvisionalAccounts(call, applicationId, options.clientSecret),
    interactions,
    directMessages: createDirectMessages(call),
    players: createPlayers(http, clock, applicationId),
    profiles: createProfiles(call, applicationId),
    close,
    [Symbol.asyncDispose]: close,
    [partsKey]: parts,
  };
  return backend;
}

/** A limit that is no number would be none. */
function checkGlobalLimit(limit: BackendOptions['globalLimit']): void {
  if (!limit || limit === 'off') return;
  requireType('globalLimit', limit, 'object');
  requireNumber('globalLimit.requests', limit.requests ?? Number.NaN, 1);
  requireNumber('globalLimit.windowMs', limit.windowMs ?? Number.NaN, 0);
}

function readApplicationId(given: ApplicationId | undefined): ApplicationId {
  if (given) return parseSnowflake<'application'>(given, 'applicationId');
  throw new ArgumentError('missing_application_id', `applicationId is missing. ${unsetHint('applicationId')}`);
}
