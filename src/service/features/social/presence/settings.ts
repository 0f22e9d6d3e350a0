import type { SocialSettings } from '../../../../model/presence.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { createExpiry } from '../../../expiry.ts';
import type { Transaction } from '../../../store/contract.ts';
import { announceChange } from './changes.ts';
import { presenceScope, settingsOf, stateOf } from './records.ts';
import { type AllSettings, type EditableSettings, readSettings, settingsIn } from './settings-fields.ts';

/** Users' settings for the social layer. @see docs/spec/social.md#settings */
export interface SettingsEdits {
  /**
   * Changes a user's settings.
   *
   * @param isOwnClient whether the user's own client does, or a game
   * @throws RequestError `invalid_form_body`
   */
  edit(userId: UserId, body: unknown, isOwnClient: boolean): Promise<EditableSettings | AllSettings>;
  /** A custom status with an end was stored by other means. */
  notice(settings: Partial<SocialSettings>): void;
  /** Ends custom statuses whose time is over, now and from now on. */
  start(): Promise<() => void>;
}

export function createSettingsEdits(core: Core): SettingsEdits {
  const { store, clock } = core;
  const expiry = createExpiry(core, 'status_expiries', endStatus);

  async function endStatus(userId: UserId): Promise<void> {
    await store.transact(presenceScope(userId), async transaction => {
      const nowMs = clock.now();
      const due = await transaction.get('status_expiries', userId);
      if (!due || due.expires_at_ms > nowMs) return;
      transaction.delete('status_expiries', userId);
      const record = await transaction.get('social_settings', userId);
      const before = await stateOf(transaction, userId);
      if (statusEndMs(before.settings) !== due.expires_at_ms) return;
      transaction.put('social_settings', {
        ...record,
        user_id: userId,
        settings: { ...record?.settings, custom_status: null },
      });
      const settings = await settingsOf(transaction, userId);
      announceChange(transaction, userId, before, { ...before, settings }, { from: due.expires_at_ms - 1, to: nowMs });
    });
  }

  return {
    async edit(userId, body, isOwnClient) {
      const { accept_friend_requests: accepts, ...given } = readSettings(body, isOwnClient);
      const answer = await store.transact(presenceScope(userId), async transaction => {
        const before = await stateOf(transaction, userId);
        const record = await transaction.get('social_settings', userId);
        const changed = {
          ...(given.status !== undefined && { status_set_at: transaction.revision }),
          ...(isOtherCustomStatus(before.settings, given) && { custom_status_set_at_ms: clock.now() }),
        };
        transaction.put('social_settings', {
          ...record,
          user_id: userId,
          settings: { ...record?.settings, ...given },
          ...changed,
          ...(accepts !== undefined && { accept_friend_requests: accepts }),
        });
        const settings = await settingsOf(transaction, userId);
        await putStatusEnd(transaction, userId, settings);
        announceChange(transaction, userId, before, { ...before, settings }, clock.now());
        const shown = settingsIn(settings, isOwnClient) as EditableSettings;
        if (!isOwnClient) return shown;
        return { ...shown, accept_friend_requests: accepts ?? record?.accept_friend_requests ?? true };
      });
      this.notice(answer);
      return answer;
    },

    notice: settings => expiry.notice(statusEndMs(settings)),
    start: () => expiry.start(),
  };
}

// Setting the same custom status again keeps its time, so that no session is notified.
function isOtherCustomStatus(
  { custom_status: before }: SocialSettings,
  { custom_status: given }: Partial<SocialSettings>,
) {
  return given !== undefined && JSON.stringify(before) !== JSON.stringify(given);
}

/** Stores when the custom status of these settings ends. Call it within the {@link presenceScope}. */
export async function putStatusEnd(
  transaction: Transaction,
  userId: UserId,
  settings: Partial<SocialSettings>,
): Promise<void> {
  const expires_at_ms = statusEndMs(settings);
  if (expires_at_ms !== null) transaction.put('status_expiries', { id: userId, expires_at_ms });
  else if (await transaction.get('status_expiries', userId)) transaction.delete('status_expiries', userId);
}

function statusEndMs({ custom_status: custom }: Partial<SocialSettings>): number | null {
  return custom?.expires_at == null ? null : Date.parse(custom.expires_at);
}
