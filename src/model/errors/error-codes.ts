/**
 * The meaning of every code, by the class of the error that has it. An ApiError has the codes of {@link apiErrors}. Codes are
 * never renamed.
 *
 * `client` has the codes that a game can see, `server` those that only the backend module, the service and the parts for
 * tests use.
 */
export const errorCodes = {
  client: {
    ArgumentError: {
      authorization_in_progress: 'An authorization is already in progress; a client runs one at a time.',
      closed: 'The client, or the object whose method was called, has been closed.',
      empty_message: 'The message has neither content nor attachments.',
      foreign_redirect: 'The redirect does not belong to an authorization that this client started.',
      insecure_address:
        'The base URL uses http or ws for a host other than this machine, so a token would travel unencrypted.',
      invalid_account:
        'The name of the keychain entry is empty, too long, or contains characters that a keychain rejects.',
      invalid_backend: "The backend's tier was not allowed when the keychain was opened, or the backend is memory.",
      invalid_argument: 'An argument or option is not of the type, or none of the values, that the function takes.',
      invalid_base_url: 'The base URL is not an http or https URL, or contains credentials, a query or a fragment.',
      invalid_call_arguments: 'The arguments of an operation of a window are not of the types that it takes.',
      invalid_code_verifier:
        'The verifier was not made by createAuthorizationCodeVerifier(): it must be 43–128 unreserved characters.',
      invalid_command: 'The command that the system should start cannot be registered.',
      invalid_credential: 'A token or another credential is empty, or contains characters that a header cannot hold.',
      invalid_deadline: 'A deadline must be a number of milliseconds.',
      invalid_expiry: 'The expiry of a token must be a time in milliseconds.',
      invalid_folder: 'The folder must be an absolute path.',
      invalid_game: 'The program that the system should start must be an absolute path.',
      invalid_handler_id:
        'The handler id under which a scheme is registered contains characters that the system rejects.',
      invalid_limit: 'The number of messages or lobbies requested is outside its bounds.',
      invalid_name: "The game's name is empty, too long, or contains control characters.",
      invalid_path: 'The path must be absolute.',
      invalid_redirect_uri: 'The redirect URI is not the one that authorize() returned.',
      invalid_schema: 'A metadata schema is not a Standard Schema, or validates asynchronously.',
      invalid_scheme:
        'The scheme contains characters that are not allowed, or belongs to other programs (such as https).',
      invalid_secret: 'A secret for the keychain must be text, neither empty nor longer than the keychain allows.',
      invalid_service:
        "The keychain's service name is empty, too long, or contains characters that a keychain rejects.",
      invalid_snowflake: 'An id must be a snowflake: a decimal integer below 2^63.',
      invalid_status: 'The status must be online, idle, dnd or invisible.',
      invalid_tiers: 'The list of keychain tiers is empty or names an unknown tier.',
      invalid_voice_settings: 'The settings of a call must be booleans with known names.',
      missing_access_token: 'No access token is set; call updateToken() first.',
      missing_application_id: 'No application id is set; pass applicationId or call setApplicationId().',
      missing_base_url: 'The option baseUrl is missing; there is no default service.',
      missing_bundle_id: 'On macOS, schemes are registered for bundles; pass bundleId.',
      missing_code: 'The authorization code is missing.',
      missing_preload:
        'The window has no connection to the main process: exposeRallypoint() was not called in its preload script.',
      missing_refresh_token: 'The refresh token is missing.',
      missing_scheme: 'Neither a scheme nor an application id was given.',
      missing_scope: 'The player has not granted a scope that the operation needs; the message names it.',
      missing_secret: 'The client has not joined the lobby by its secret; a lobby of a game server has none.',
      missing_service: "The keychain's service name is empty.",
      missing_state: 'To continue an authorization that an earlier process started, pass its state.',
      missing_token: 'The token to revoke is missing.',
      moved_arguments: 'These arguments were moved to another object by move().',
      not_joinable: 'The activity has no join secret, or no party with a free place, so nobody can be invited to it.',
      not_in_call: "The player is not in this lobby's call.",
      too_many_calls: 'The session is already in as many calls as it may be in.',
      unencodable_body: 'The body cannot be encoded as JSON.',
      unknown_invite: 'The client has no invite of this id and type, or no longer.',
      unknown_call: 'Windows cannot call an operation of this name.',
      wrong_relationship:
        'The other user is not to the player what the operation needs, for example there is no request to accept.',
      unsafe_address: 'The URL must not be opened in a browser: it is not https, or not http to this machine.',
    },
    ValidationError: { invalid_form_body: 'A value breaks the rules; `issues` lists each fault with its path.' },
    RateLimitError: {
      rate_limited: 'The rate limit lasts longer than the deadline of the call; `retryAfterMs` says how long.',
    },
    GatewayError: { gateway_closed: 'The gateway closed the connection; `closeCode` says why.' },
    TransportError: {
      aborted:
        'The caller aborted the operation: by its signal, by disconnect() or by close(); or another player connected while it waited.',
      browser_unavailable: 'The browser could not be opened; the cause says why.',
      call_ended: "The lobby's call ended, or could not be joined.",
      client_not_ready: 'The client is not connected and the operation was not to be queued, or the queue is full.',
      connection_lost: 'The connection broke after the request was sent; the service may have processed it.',
      deadline_exceeded: 'The operation did not complete before its deadline.',
      main_process_failed:
        'The operation failed in the main process for a reason that is not shown to windows; its log says why.',
      lobby_ended: 'The lobby ended, or the player was removed from it, before the operation was complete.',
      no_loopback: 'No loopback port could be opened for the redirect.',
      untrusted_window:
        'The main process does not serve the page of this window; app, pages and isTrusted of serveWindows() decide.',
      unreachable: 'The service could not be reached; nothing was sent.',
      unreadable_answer: 'The service sent a response that cannot be parsed.',
    },
    OAuthError: {
      oauth_error: 'The authorization server named an error that this package does not know; `error` has it.',
      access_denied: 'The player or the authorization server denied the request.',
      consent_required: 'The player must grant the request on a page.',
      expired_token: 'The device code expired before it was used.',
      interaction_required: 'The player must answer on a page.',
      invalid_client: 'The application is unknown, its secret is wrong, or it is not a public client.',
      invalid_grant: 'The code or refresh token is expired, already used, or was issued to another client.',
      invalid_id_token: 'The ID token was not issued for this sign-in, is not valid now, or cannot be parsed.',
      invalid_request: 'The request is malformed.',
      invalid_scope: 'A scope is unknown, or cannot be granted this way.',
      login_required: 'The player must sign in on a page.',
      no_usable_token: 'Every token that is kept has expired or was rejected.',
      server_error: 'The authorization server failed.',
      signed_out: 'No player is signed in.',
      temporarily_unavailable: 'The authorization server is overloaded or in maintenance; try again later.',
      unauthorized_client: 'The application may not use this way of authorization.',
      unsupported_grant_type: 'The authorization server does not support this grant type.',
      unsupported_response_type: 'The authorization server does not support this response type.',
      wrong_issuer: 'The answer to an authorization came from another service than baseUrl, and was not used.',
    },
    KeychainError: {
      keychain_busy: 'Another process is using the keychain.',
      keychain_denied: 'The user or the system denied access to the keychain.',
      keychain_folder: "The keychain's folder cannot be created or written, or belongs to another user.",
      keychain_locked: 'The keychain is locked.',
      keychain_missing: 'No library for the keychain is installed.',
      keychain_no_bus: 'Linux: there is no D-Bus session bus.',
      keychain_no_collection: 'Linux: the Secret Service has no collection to store secrets in.',
      keychain_timeout: 'The keychain did not answer in time.',
      keychain_unprotected: 'The keychain would keep secrets readable by other users.',
      keychain_unreadable: 'The stored value was changed by another program and cannot be decrypted.',
      keychain_unusable: 'The keychain failed for a reason that this package does not know; see the cause.',
      lock_unusable: 'The folder does not support locks between processes.',
    },
    RedirectError: {
      cannot_listen: 'The socket for redirects cannot be opened.',
      elevated: "The game runs with other rights than the player's browser.",
      folder_not_private: "The socket's folder is accessible to other users.",
      listener_not_ours: 'Another user, or an elevated copy of the game, already listens on the socket.',
      no_folder: "The socket's folder cannot be created.",
      registration_failed: 'The system did not accept the registration of the scheme.',
      registration_unavailable: 'This system offers no way to register a scheme.',
      socket_path_too_long: "The socket's path is longer than the system allows.",
    },
  },
  server: {
    ArgumentError: {
      bad_content: 'The snapshot to load does not describe the content of a store.',
      bad_duration: 'A virtual clock advances by a whole number of milliseconds, 0 or more.',
      bad_key: 'A key of the store is malformed.',
      bad_query: 'A query of the store is malformed.',
      bad_record: 'A record of the store is malformed.',
      credential_missing: 'The backend was created without the credential that this call needs.',
      duplicate_command: 'Two handlers are registered for the same command.',
      duplicate_custom_id: 'Two handlers are registered for the same custom id.',
      foreign_backend: 'The backend was not created by createBackend().',
      invalid_capacity: 'The capacity of an open lobby is outside its bounds.',
      invalid_custom_id_pattern: 'A pattern of custom ids is malformed.',
      invalid_filter: 'A function that decides by true or false returned a promise.',
      invalid_lease: 'The lease is shorter than the minimum.',
      invalid_lobby_key: 'The key of a lobby is empty or too long.',
      invalid_public_key: "The application's public key must be 64 hexadecimal digits.",
      invalid_public_url: 'The public URL must be an http or https origin.',
      invalid_server_name: 'The name of a server is empty or too long.',
      invalid_trusted_proxy: 'A trusted proxy must be an IP address or a CIDR block.',
      invalid_slow_statement: 'The option slowStatementMs must be a number of milliseconds within its bounds.',
      invalid_drain_timeout: 'The option drainTimeoutMs must be a number of milliseconds within its bounds.',
      invalid_bus: 'The option bus must be the URL of a Redis server, given together with store.',
      invalid_secret: 'A secret of a cluster must have at least 16 characters; it is given together with store.',
      invalid_store:
        'The option store must be the URL of a PostgreSQL database, given together with bus and without data, which must be a folder.',
      virtual_clock_shared: 'A virtual clock works with one node of a cluster, and others are running.',
      wrong_secret: 'The keys in the database are protected by a secret that was not given.',
      invalid_allowed_host: 'An allowed host must be a host name or an address without a port.',
      invalid_recording: 'The text is not a recording of traffic, or one of another version.',
      invalid_voice_endpoint: 'The endpoint of the voice server must be a host name, with a port or without.',
      fake_timers: 'The fake timers of a test runner replaced functions that the world of a test needs.',
      not_in_world:
        'The world of a test has no such user, channel, command, option, component or form; the message lists those it has.',
      plan_blocked: 'The plan cannot be executed; its warnings say why.',
      plan_elsewhere: 'The plan was made for another application, guild or service.',
      plan_outdated: 'The registered commands have changed since the plan was made.',
      template_secret:
        'A secret of a template in deploy/ is still in use, and other machines can reach the service. The message names it.',
      public_host:
        'With developer sign-in the service may only listen on loopback, because everyone who can reach it can sign in as any user.',
      system_clock: 'Only a virtual clock can be advanced.',
      too_many_waiting: 'Too many operations on lobbies are queued.',
      unknown_channel: 'The guild has no channel with this id.',
      unknown_limits: 'There is no limit profile with this name.',
      unknown_sign_in: 'There is no sign-in mode with this name.',
      unreadable_localizations: 'A file of translations cannot be read or parsed.',
    },
    OAuthError: {
      invalid_token: 'The access token of a player has expired, was revoked, or was never issued.',
      wrong_application: 'The access token of a player was granted to another application.',
    },
    OwnershipError: {
      directory_failed: 'The lobby directory threw or holds unreadable data; the cause has the details.',
      lease_lost: "This server's lease expired and could not be renewed.",
      not_owner: 'Another server owns the lobby, or the lobby has been handed over.',
      server_not_live: 'The named server holds no lease.',
      superseded: "A newer process has taken over this server's name.",
    },
    StoreError: {
      store_failed: 'The engine could not read or commit; a rejected transaction left nothing behind.',
      store_unavailable: 'The database could not be reached in time. Nothing is changed after this answer; try again.',
      store_full: 'The disk has no space left; a rejected transaction left nothing behind.',
      store_closed: 'The store was used after it was closed.',
      store_in_use: 'Another process has the data folder open.',
      store_too_new: 'The data folder was written by a newer version of this package.',
      store_unusable: 'The database cannot be opened: permission denied, damaged, or not a database of this package.',
      store_incomplete: 'The database is empty or missing, or lacks commits that were acknowledged.',
      transaction_ended: 'The transaction was used after its callback had ended.',
    },
    BusError: {
      bus_unavailable:
        'The server that the nodes share cannot be reached, or was emptied just now; try again in a second.',
      bus_unusable: 'The server that the nodes share rejects them, or is not one that they can use; see the message.',
      node_outdated:
        'The node could not renew its registration for long, so it must not act for the cluster until it has.',
    },
    RallypointError: {
      commands_drifted: 'After the deploy, the registered commands differ from the definitions.',
      interaction_failed:
        'In a test: the application did not answer the interaction. The cause is what its handler threw.',
      left_open: 'In a test: gateway connections or timers were still open when the world was closed.',
    },
  },
} as const satisfies Record<string, Record<string, Readonly<Record<string, string>>>>;

type Client = typeof errorCodes.client;

export type ArgumentErrorCode = keyof Client['ArgumentError'] | keyof typeof errorCodes.server.ArgumentError;
export type OwnershipErrorCode = keyof typeof errorCodes.server.OwnershipError;
export type TransportErrorCode = keyof Client['TransportError'];
export type OAuthErrorCode = keyof Client['OAuthError'] | keyof typeof errorCodes.server.OAuthError;
/** The message names the place and what to do. */
export type StoreErrorCode = keyof typeof errorCodes.server.StoreError;
export type BusErrorCode = keyof typeof errorCodes.server.BusError;
export type KeychainErrorCode = keyof Client['KeychainError'];
export type RedirectErrorCode = keyof Client['RedirectError'];
/** Of errors that have no class of their own. */
export type OtherErrorCode = keyof typeof errorCodes.server.RallypointError;
