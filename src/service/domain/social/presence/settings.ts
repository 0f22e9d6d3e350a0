import type { SocialSettings } from '../../../../model/presence.ts';
import { checkSocialSettings } from '../../../../model/rules/social/activity.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { rejectIssues } from '../../../support/request-error.ts';
import { announceChange } from './changes.ts';
import { presenceScope, settingsOf, stateOf } from './records.ts';

/** What a game may set of its user's settings, and what it is answered. */
export type EditableSettings = Pick<SocialSettings, 'status' | 'custom_status' | 'slayer_sdk_receive_dms_in_game'>;

/**
 * Changes a user's settings.
 *
 * Unspecified: fields that a game may not set are ignored.
 *
 * @throws RequestError `invalid_form_body`
 * @see docs/spec/social.md#settings
 */
export async function editSettings(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  userId: UserId,
  body: unknown,
): Promise<EditableSettings> {
  rejectIssues(checkSocialSettings(body));
  const given = editableOf(body as Partial<EditableSettings>);
  return store.transact(presenceScope(userId), async transaction => {
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
    announceChange(transaction, userId, before, { ...before, settings }, clock.now());
    return editableOf(settings) as EditableSettings;
  });
}

function editableOf(settings: Partial<SocialSettings>): Partial<EditableSettings> {
  const { status, custom_status, slayer_sdk_receive_dms_in_game } = settings;
  return {
    ...(status !== undefined && { status }),
    ...(custom_status !== undefined && { custom_status }),
    ...(slayer_sdk_receive_dms_in_game !== undefined && { slayer_sdk_receive_dms_in_game }),
  };
}
