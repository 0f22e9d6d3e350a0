/** One step from a layout to the next. A step that is on the main branch is never changed: a later one follows it. */
export interface Migration {
  /** The layout it leads to; the list counts 1, 2, 3 … */
  readonly version: number;
  readonly sql: string;
}

/**
 * The layout: one table a collection with the fields of its key and indexes as columns, and the record as JSON. Tables
 * are stored in the order of their keys (WITHOUT ROWID), so that the members of a lobby lie side by side and every
 * index ends in the key. Indexes leave nulls out, but on key fields, which are never null: SQLite would not use them.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
        CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE applications (id TEXT PRIMARY KEY, bot_token_hash TEXT, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX applications_byBotToken ON applications (bot_token_hash) WHERE bot_token_hash IS NOT NULL;

        CREATE TABLE users (id TEXT PRIMARY KEY, username TEXT, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX users_byUsername ON users (username) WHERE username IS NOT NULL;

        CREATE TABLE external_identities (
          application_id TEXT, hash TEXT, user_id TEXT, body TEXT NOT NULL, PRIMARY KEY (application_id, hash)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX external_identities_byUser ON external_identities (user_id) WHERE user_id IS NOT NULL;

        CREATE TABLE account_moves (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE passwords (user_id TEXT PRIMARY KEY, name TEXT, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX passwords_byName ON passwords (name) WHERE name IS NOT NULL;

        CREATE TABLE guilds (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE guild_members (
          guild_id TEXT, user_id TEXT, body TEXT NOT NULL, PRIMARY KEY (guild_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX guild_members_byUser ON guild_members (user_id);

        CREATE TABLE installations (
          application_id TEXT, guild_id TEXT, body TEXT NOT NULL, PRIMARY KEY (application_id, guild_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE commands (id TEXT PRIMARY KEY, scope TEXT, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX commands_byScope ON commands (scope) WHERE scope IS NOT NULL;

        CREATE TABLE command_quotas (scope TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE command_overwrites (
          guild_id TEXT, application_id TEXT, target_id TEXT, body TEXT NOT NULL,
          PRIMARY KEY (guild_id, application_id, target_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX command_overwrites_byTarget ON command_overwrites (target_id);

        CREATE TABLE lobbies (
          id TEXT PRIMARY KEY, expires_at_ms INTEGER, application_id TEXT, secret_hash TEXT,
          secret_expires_at_ms INTEGER, linked_guild_id TEXT, linked_channel_id TEXT, body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lobbies_byExpiry ON lobbies (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
        CREATE INDEX lobbies_bySecret ON lobbies (application_id, secret_hash, secret_expires_at_ms)
          WHERE secret_expires_at_ms IS NOT NULL;
        CREATE INDEX lobbies_byChannel ON lobbies (linked_guild_id, linked_channel_id)
          WHERE linked_channel_id IS NOT NULL;

        CREATE TABLE lobby_members (
          lobby_id TEXT, user_id TEXT, application_id TEXT, body TEXT NOT NULL, PRIMARY KEY (lobby_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lobby_members_byUser ON lobby_members (application_id, user_id);

        CREATE TABLE lobby_messages (
          lobby_id TEXT, sent_at_ms INTEGER, id TEXT, body TEXT NOT NULL, PRIMARY KEY (lobby_id, sent_at_ms, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE lobby_invites (code TEXT PRIMARY KEY, expires_at_ms INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX lobby_invites_byExpiry ON lobby_invites (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE authorizations (
          id TEXT PRIMARY KEY, user_id TEXT, application_id TEXT, body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX authorizations_byUser ON authorizations (user_id, application_id) WHERE application_id IS NOT NULL;

        CREATE TABLE codes (hash TEXT PRIMARY KEY, expires_at_ms INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX codes_byExpiry ON codes (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE device_codes (
          hash TEXT PRIMARY KEY, user_code_hash TEXT, expires_at_ms INTEGER, body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_codes_byUserCode ON device_codes (user_code_hash) WHERE user_code_hash IS NOT NULL;
        CREATE INDEX device_codes_byExpiry ON device_codes (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE tokens (
          hash TEXT PRIMARY KEY, authorization_id TEXT, grant_id TEXT, expires_at_ms INTEGER, body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tokens_byAuthorization ON tokens (authorization_id) WHERE authorization_id IS NOT NULL;
        CREATE INDEX tokens_byGrant ON tokens (grant_id) WHERE grant_id IS NOT NULL;
        CREATE INDEX tokens_byExpiry ON tokens (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE sign_ins (hash TEXT PRIMARY KEY, expires_at_ms INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX sign_ins_byExpiry ON sign_ins (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE interactions (id TEXT PRIMARY KEY, expires_at_ms INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX interactions_byExpiry ON interactions (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE interaction_messages (
          id TEXT PRIMARY KEY, interaction_id TEXT, body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX interaction_messages_byInteraction ON interaction_messages (interaction_id)
          WHERE interaction_id IS NOT NULL;

        CREATE TABLE gateway_sessions (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE gateway_events (
          revision INTEGER, number INTEGER, body TEXT NOT NULL, PRIMARY KEY (revision, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE settings (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
      `,
  },
  // Parts in calls, bots' names, role connections.
  {
    version: 2,
    sql: `
        ALTER TABLE lobby_members ADD COLUMN voice_session_id TEXT;
        UPDATE lobby_members SET body = json_set(body, '$.voice', NULL, '$.voice_session_id', NULL);
        CREATE INDEX lobby_members_byVoice ON lobby_members (voice_session_id) WHERE voice_session_id IS NOT NULL;

        UPDATE gateway_sessions SET body = json_set(body, '$.may_call', json('false'));

        UPDATE applications SET body = json_set(body, '$.bot_username', NULL, '$.role_connection_metadata', json('[]'));

        CREATE TABLE role_connections (
          application_id TEXT, user_id TEXT, authorization_id TEXT, body TEXT NOT NULL,
          PRIMARY KEY (application_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX role_connections_byAuthorization ON role_connections (authorization_id)
          WHERE authorization_id IS NOT NULL;
      `,
  },
  // Families of refresh tokens, which expire when they are unused; indexes by user, to revoke everything of a user.
  {
    version: 3,
    sql: `
        ALTER TABLE tokens ADD COLUMN user_id TEXT;
        UPDATE tokens SET user_id = json_extract(body, '$.user_id');
        CREATE INDEX tokens_byUser ON tokens (user_id) WHERE user_id IS NOT NULL;

        DELETE FROM tokens WHERE json_extract(body, '$.answered') IS NOT NULL;
        UPDATE tokens SET
          expires_at_ms = (unixepoch() + 7776000) * 1000,
          body = json_set(body, '$.expires_at_ms', (unixepoch() + 7776000) * 1000)
          WHERE json_extract(body, '$.kind') = 'refresh';

        ALTER TABLE sign_ins ADD COLUMN user_id TEXT;
        UPDATE sign_ins SET user_id = json_extract(body, '$.user_id');
        CREATE INDEX sign_ins_byUser ON sign_ins (user_id) WHERE user_id IS NOT NULL;
      `,
  },
  // Records that cannot be decoded, set aside.
  {
    version: 4,
    sql: `
        CREATE TABLE set_aside (
          id INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL, reason TEXT NOT NULL,
          found_at_ms INTEGER NOT NULL, body TEXT NOT NULL
        ) STRICT;
      `,
  },
  // Authorizations by application; users in messages as the interface shows them whole.
  {
    version: 5,
    sql: `
        CREATE INDEX authorizations_byApplication ON authorizations (application_id, user_id)
          WHERE user_id IS NOT NULL;

        UPDATE lobby_messages SET body = json_set(
          body, '$.message.author.primary_guild', NULL, '$.message.author.public_flags', 0, '$.message.author.flags', 0
        );
        UPDATE interaction_messages SET body = json_set(
          body, '$.message.author.primary_guild', NULL, '$.message.author.public_flags', 0, '$.message.author.flags', 0,
          '$.message.interaction_metadata.user.primary_guild', NULL,
          '$.message.interaction_metadata.user.public_flags', 0, '$.message.interaction_metadata.user.flags', 0
        );
      `,
  },
  // Nodes of gateway sessions, sessions by user, and presences of all nodes.
  {
    version: 6,
    sql: `
        ALTER TABLE gateway_sessions ADD COLUMN node TEXT;
        ALTER TABLE gateway_sessions ADD COLUMN user_id TEXT;
        UPDATE gateway_sessions SET
          user_id = json_extract(body, '$.user_id'), body = json_set(body, '$.node', NULL, '$.claim', 0);
        CREATE INDEX gateway_sessions_byNode ON gateway_sessions (node) WHERE node IS NOT NULL;
        CREATE INDEX gateway_sessions_byUser ON gateway_sessions (user_id) WHERE user_id IS NOT NULL;

        CREATE TABLE presences (user_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
      `,
  },
  // Relationships, settings, headless sessions and direct messages; presences of games' sessions; applications by publisher.
  {
    version: 7,
    sql: `
        UPDATE gateway_sessions SET body = json_set(
          body, '$.family_id', json_extract(body, '$.application_id'), '$.may_set_presence', json('false'),
          '$.client', json_object('client', 'desktop', 'os', '', 'version', 0)
        );

        CREATE TABLE relationships (
          user_id TEXT, target_id TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, target_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX relationships_byTarget ON relationships (target_id);

        CREATE TABLE game_relationships (
          user_id TEXT, family_id TEXT, target_id TEXT, pair TEXT, body TEXT NOT NULL,
          PRIMARY KEY (user_id, family_id, target_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX game_relationships_byPair ON game_relationships (pair) WHERE pair IS NOT NULL;

        CREATE TABLE relationship_totals (user_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE social_settings (user_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE social_presences (user_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE headless_sessions (
          id TEXT PRIMARY KEY, user_id TEXT, expires_at_ms INTEGER, body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX headless_sessions_byUser ON headless_sessions (user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX headless_sessions_byExpiry ON headless_sessions (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE direct_channels (id TEXT PRIMARY KEY, pair TEXT, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX direct_channels_byPair ON direct_channels (pair) WHERE pair IS NOT NULL;

        CREATE TABLE direct_recipients (
          user_id TEXT, channel_id TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, channel_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE direct_messages (
          channel_id TEXT, sent_at_ms INTEGER, id TEXT, expires_at_ms INTEGER, body TEXT NOT NULL,
          PRIMARY KEY (channel_id, sent_at_ms, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX direct_messages_byExpiry ON direct_messages (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
        CREATE INDEX direct_messages_byId ON direct_messages (id);

        ALTER TABLE applications ADD COLUMN parent_id TEXT;
        UPDATE applications SET
          parent_id = json_extract(body, '$.parent_id'), body = json_set(body, '$.parent_id', json_extract(body, '$.parent_id'));
        CREATE INDEX applications_byParent ON applications (parent_id) WHERE parent_id IS NOT NULL;
      `,
  },
  // Webhook events that wait.
  {
    version: 8,
    sql: `
        CREATE TABLE webhook_queues (id TEXT PRIMARY KEY, expires_at_ms INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_queues_byExpiry ON webhook_queues (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE webhook_events (
          queue_id TEXT, number INTEGER, body TEXT NOT NULL, PRIMARY KEY (queue_id, number)
        ) STRICT, WITHOUT ROWID;
      `,
  },
  // Profiles of players, withdrawn authorizations, and custom statuses that end.
  {
    version: 9,
    sql: `
        CREATE TABLE former_authorizations (
          user_id TEXT, application_id TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, application_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX former_authorizations_byApplication ON former_authorizations (application_id);

        CREATE TABLE status_expiries (id TEXT PRIMARY KEY, expires_at_ms INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX status_expiries_byExpiry ON status_expiries (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

        CREATE TABLE application_profiles (
          user_id TEXT, application_id TEXT, identity_hash TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, application_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX application_profiles_byIdentity ON application_profiles (application_id, identity_hash)
          WHERE identity_hash IS NOT NULL;
      `,
  },
  // Builds between two forms of step 7 left applications and sessions without what that step gives them today.
  {
    version: 10,
    sql: `
        UPDATE applications SET body = json_set(body, '$.parent_id', NULL)
          WHERE CASE WHEN json_valid(body) THEN json_type(body, '$.parent_id') IS NULL END;

        UPDATE gateway_sessions SET body = json_set(
          body, '$.family_id', json_extract(body, '$.application_id'), '$.may_set_presence', json('false'),
          '$.client', json_object('client', 'desktop', 'os', '', 'version', 0)
        ) WHERE CASE WHEN json_valid(body) THEN json_type(body, '$.client') IS NULL END;
      `,
  },
];
