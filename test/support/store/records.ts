import type { LobbyMemberRecord, LobbyRecord, TokenRecord } from '../../../src/service/store/records.ts';

/** Whole records for tests that care about a few fields only. */

export function lobbyRecord(fields: Partial<LobbyRecord> & Pick<LobbyRecord, 'id'>): LobbyRecord {
  return {
    application_id: '1',
    metadata: null,
    flags: 0,
    idle_timeout_seconds: 300,
    override_event_webhooks_url: null,
    member_count: 0,
    secret_hash: null,
    secret_expires_at_ms: null,
    linked_guild_id: null,
    linked_channel_id: null,
    link: null,
    message_count: 0,
    expires_at_ms: 0,
    attended: false,
    ...fields,
  };
}

export function lobbyMemberRecord(
  fields: Partial<LobbyMemberRecord> & Pick<LobbyMemberRecord, 'lobby_id' | 'user_id'>,
): LobbyMemberRecord {
  return {
    application_id: '1',
    metadata: null,
    flags: 0,
    additional_name: null,
    voice: null,
    voice_session_id: null,
    ...fields,
  };
}

export function tokenRecord(fields: Partial<TokenRecord> & Pick<TokenRecord, 'hash'>): TokenRecord {
  return {
    kind: 'access',
    authorization_id: null,
    grant_id: null,
    application_id: '1',
    user_id: '2',
    scopes: [],
    expires_at_ms: null,
    ...fields,
  };
}
