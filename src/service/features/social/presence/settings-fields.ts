import type { Issue } from '../../../../model/errors/issue.ts';
import type { SocialSettings } from '../../../../model/presence.ts';
import { checkBody, checkBoolean, type Fields, isFields } from '../../../../model/rules/field.ts';
import type { Report } from '../../../../model/rules/report.ts';
import { checkSocialSettings } from '../../../../model/rules/social/activity.ts';
import { readSnowflake } from '../../../../model/snowflake.ts';
import { formatTimestamp } from '../../../../model/timestamp.ts';
import { rejectIssues } from '../../../support/request-error.ts';

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
 * The settings in a body, and nothing else of it.
 *
 * Unspecified: fields that a game may not set are ignored, and a user's own client may set all of them.
 *
 * @throws RequestError `invalid_form_body`
 */
export function readSettings(body: unknown, isOwnClient: boolean): Partial<AllSettings> {
  rejectIssues(isOwnClient ? checkAllSettings(body) : checkSocialSettings(body));
  const given = body as Partial<AllSettings>;
  const { custom_status: custom, accept_friend_requests: accepts } = given;
  return {
    ...settingsIn(given, isOwnClient),
    ...(custom != null && { custom_status: readCustomStatus(custom) }),
    ...(isOwnClient && accepts !== undefined && { accept_friend_requests: accepts }),
  };
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

type CustomStatus = NonNullable<SocialSettings['custom_status']>;

function readCustomStatus({ text, emoji_id, emoji_name, expires_at }: Partial<CustomStatus>): CustomStatus {
  return {
    text: text ?? null,
    ...(emoji_id !== undefined && { emoji_id: readSnowflake(emoji_id) ?? null }),
    ...(emoji_name !== undefined && { emoji_name }),
    ...(expires_at !== undefined && { expires_at: expires_at && formatTimestamp(Date.parse(expires_at)) }),
  };
}

/** The settings that an answer shows. */
export function settingsIn(settings: Partial<SocialSettings>, isOwnClient: boolean): Partial<SocialSettings> {
  const names = [
    'status',
    'custom_status',
    'slayer_sdk_receive_dms_in_game',
    ...(isOwnClient ? switches : []),
  ] as const;
  return Object.fromEntries(names.filter(name => settings[name] !== undefined).map(name => [name, settings[name]]));
}
