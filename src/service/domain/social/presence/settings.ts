import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { announceChange } from './changes.ts';
import { presenceScope, settingsOf, stateOf } from './records.ts';
import { type AllSettings, type EditableSettings, readSettings, settingsIn } from './settings-fields.ts';

/**
 * Changes a user's settings.
 *
 * @param isOwnClient whether the user's own client does, or a game
 * @throws RequestError `invalid_form_body`
 * @see docs/spec/social.md#settings
 */
export async function editSettings(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  userId: UserId,
  body: unknown,
  isOwnClient: boolean,
): Promise<EditableSettings | AllSettings> {
  const { accept_friend_requests: accepts, ...given } = readSettings(body, isOwnClient);
  return store.transact(presenceScope(userId), async transaction => {
    const before = await stateOf(transaction, userId);
    const record = await transaction.get('social_settings', userId);
    const changed = given.status === undefined ? {} : { status_set_at: transaction.revision };
    transaction.put('social_settings', {
      ...record,
      user_id: userId,
      settings: { ...record?.settings, ...given },
      ...changed,
      ...(accepts !== undefined && { accept_friend_requests: accepts }),
    });
    const settings = await settingsOf(transaction, userId);
    announceChange(transaction, userId, before, { ...before, settings }, clock.now());
    const answer = settingsIn(settings, isOwnClient) as EditableSettings;
    if (!isOwnClient) return answer;
    return { ...answer, accept_friend_requests: accepts ?? record?.accept_friend_requests ?? true };
  });
}
