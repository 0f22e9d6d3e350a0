import type { SocialSettings } from '../../../../model/presence.ts';
import { checkSocialSettings } from '../../../../model/rules/social/activity.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import { rejectIssues } from '../../../support/request-error.ts';
import { createExpiry } from '../../expiry.ts';
import { announceChange } from './changes.ts';
import { presenceScope, settingsOf, stateOf } from './records.ts';

/** What a game may set of its user's settings, and what it is answered. */
export type EditableSettings = Pick<SocialSettings, 'status' | 'custom_status' | 'slayer_sdk_receive_dms_in_game'>;

/** Users' settings for the social layer. @see docs/spec/social.md#settings */
export interface SettingsEdits {
  /**
   * Changes a user's settings.
   *
   * Unspecified: fields that a game may not set are ignored.
   *
   * @throws RequestError `invalid_form_body`
   */
  edit(userId: UserId, body: unknown): Promise<EditableSettings>;
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
    async edit(userId, body) {
      rejectIssues(checkSocialSettings(body));
      const given = editableOf(body as Partial<EditableSettings>);
      const answer = await store.transact(presenceScope(userId), async transaction => {
        const before = await stateOf(transaction, userId);
        const record = await transaction.get('social_settings', userId);
        const changed = given.status === undefined ? {} : { status_set_at: transaction.revision };
        transaction.put('social_settings', {
          ...record,
          user_id: userId,
          settings: { ...record?.settings, ...given },
          ...changed,
        });
        const settings = await settingsOf(transaction, userId);
        await putStatusEnd(transaction, userId, settings);
        announceChange(transaction, userId, before, { ...before, settings }, clock.now());
        return editableOf(settings) as EditableSettings;
      });
      this.notice(answer);
      return answer;
    },

    notice: settings => expiry.notice(statusEndMs(settings)),
    start: () => expiry.start(),
  };
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

function editableOf(settings: Partial<SocialSettings>): Partial<EditableSettings> {
  const { status, custom_status, slayer_sdk_receive_dms_in_game } = settings;
  return {
    ...(status !== undefined && { status }),
    ...(custom_status !== undefined && { custom_status }),
    ...(slayer_sdk_receive_dms_in_game !== undefined && { slayer_sdk_receive_dms_in_game }),
  };
}
