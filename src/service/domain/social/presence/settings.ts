import type { Issue } from '../../../../model/errors/issue.ts';
import type { SocialSettings } from '../../../../model/presence.ts';
import { checkBody, checkBoolean, type Fields, isFields } from '../../../../model/rules/field.ts';
import type { Report } from '../../../../model/rules/report.ts';
import { checkSocialSettings } from '../../../../model/rules/social/activity.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { rejectIssues } from '../../../support/request-error.ts';
import { announceChange } from './changes.ts';
import { presenceScope, settingsOf, stateOf } from './records.ts';

/** What a game may set of its user's settings, and what it is answered. */
export type EditableSettings = Pick<SocialSettings, 'status' | 'custom_status' | 'slayer_sdk_receive_dms_in_game'>;

/** What a user's own client may set as well. */
const switches = [
  'show_current_game',
  'allow_activity_party_privacy_friends',
  'allow_activity_party_privacy_voice_channel',
  'allow_game_friend_dms_in_discord',
] as const;
export type AllSettings = EditableSettings &
  Pick<SocialSettings, (typeof switches)[number]> & { accept_friend_requests: boolean };

/**
 * Changes a user's settings.
 *
 * Unspecified: fields that a game may not set are ignored, and a user's own client may set all of them.
 *
 * @throws RequestError `invalid_form_body`
 * @see docs/spec/social.md#settings
 */
export async function editSettings(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  userId: UserId,
  body: unknown,
  isOwnClient: boolean,
): Promise<EditableSettings | AllSettings> {
  rejectIssues(isOwnClient ? checkAllSettings(body) : checkSocialSettings(body));
  const given = settingsIn(body as Partial<AllSettings>, isOwnClient);
  const { accept_friend_requests: accepts } = isOwnClient ? (body as Partial<AllSettings>) : {};
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
    return isOwnClient
      ? { ...answer, accept_friend_requests: accepts ?? record?.accept_friend_requests ?? true }
      : answer;
  });
}

function checkAllSettings(body: unknown): Issue[] {
  const checkSwitches = (report: Report, fields: Fields) => {
    for (const name of [...switches, 'accept_friend_requests']) {
      if (fields[name] !== undefined) checkBoolean(report, name, fields[name]);
    }
  };
  const issues = checkSocialSettings(body);
  return isFields(body) ? [...issues, ...checkBody(body, checkSwitches)] : issues;
}

function settingsIn(settings: Partial<SocialSettings>, isOwnClient: boolean): Partial<SocialSettings> {
  const names = [
    'status',
    'custom_status',
    'slayer_sdk_receive_dms_in_game',
    ...(isOwnClient ? switches : []),
  ] as const;
  return Object.fromEntries(names.filter(name => settings[name] !== undefined).map(name => [name, settings[name]]));
}
