import type { SocialSettings } from '../../../../model/presence.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { ShownSession, SocialPresenceRecord } from '../../../store/records.ts';

/** The store scope of everything that others see of a user: sessions, settings, sessions without a connection. */
export function presenceScope(userId: UserId): string {
  return `presence/${userId}`;
}

/** What a user's presence follows from. */
export interface PresenceState {
  readonly sessions: readonly ShownSession[];
  readonly settings: Settings;
}

export interface Settings extends SocialSettings {
  /** See SocialSettingsRecord. */
  readonly status_set_at: number;
  readonly custom_status_set_at_ms?: number | undefined;
}

/** What the user is shown of them. */
export function shownSettings({ status_set_at: _, custom_status_set_at_ms: __, ...shown }: Settings): SocialSettings {
  return shown;
}

/** Unspecified: everything is allowed, and messages come from everybody. @see docs/spec/social.md#settings */
export const defaultSettings: SocialSettings = {
  status: 'online',
  custom_status: null,
  show_current_game: true,
  allow_activity_party_privacy_friends: true,
  allow_activity_party_privacy_voice_channel: true,
  slayer_sdk_receive_dms_in_game: 0,
  allow_game_friend_dms_in_discord: true,
};

export async function settingsOf(view: StoreView, userId: UserId): Promise<Settings> {
  const record = await view.get('social_settings', userId);
  return {
    ...defaultSettings,
    status_set_at: record?.status_set_at ?? 0,
    custom_status_set_at_ms: record?.custom_status_set_at_ms,
    ...record?.settings,
  };
}

export async function stateOf(view: StoreView, userId: UserId): Promise<PresenceState> {
  const sessions = (await view.get('social_presences', userId))?.sessions ?? [];
  return { sessions, settings: await settingsOf(view, userId) };
}

/** As {@link stateOf}, of many users, with the records that it was read from; users without a session are left out. */
export async function statesOf(
  view: StoreView,
  userIds: readonly UserId[],
): Promise<readonly (PresenceState & { readonly record: SocialPresenceRecord })[]> {
  // Together, because the store answers reads of one turn together.
  const records = await Promise.all(userIds.map(async id => view.get('social_presences', id)));
  const found = records.filter(record => record !== undefined);
  const settings = await Promise.all(found.map(({ user_id }) => settingsOf(view, user_id)));
  return found.map((record, index) => ({
    record,
    sessions: record.sessions,
    settings: settings[index] ?? { ...defaultSettings, status_set_at: 0 },
  }));
}
