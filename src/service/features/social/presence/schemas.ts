import { activityLimits, activityPlatforms } from '../../../../model/rules/social/activity.ts';
import {
  anyObject,
  boolean,
  type Fields,
  integer,
  list,
  nullable,
  object,
  ref,
  text,
} from '../../../http/json-schema.ts';

const { activitiesMax: _, ...limits } = activityLimits;
const short = text(limits.textLengthMin, limits.textLengthMax);
const bounded = (max: number) => nullable(text(1, max));
const status = (...values: readonly string[]): Fields[string] => ({ type: 'string', enum: values });
const customStatus = nullable(
  object(
    'A text, an emoji, or both',
    {},
    {
      text: nullable(text(0, limits.customStatusLengthMax)),
      emoji_id: nullable(ref('Snowflake')),
      emoji_name: nullable(text(0, limits.emojiNameLengthMax)),
      expires_at: nullable(ref('Timestamp')),
    },
  ),
);
const settable = {
  status: status('online', 'idle', 'dnd', 'invisible'),
  custom_status: customStatus,
  slayer_sdk_receive_dms_in_game: integer(0, 3),
};

const ofOwnClient = {
  show_current_game: boolean,
  allow_activity_party_privacy_friends: boolean,
  allow_activity_party_privacy_voice_channel: boolean,
  allow_game_friend_dms_in_discord: boolean,
  accept_friend_requests: boolean,
};

/** @see docs/spec/social.md#presence; docs/spec/social.md#activity; docs/spec/social.md#settings */
export const presenceSchemas = {
  Presences: object('The presences of friends who are not offline', {
    presences: list(ref('FriendPresence')),
    guilds: list(anyObject),
    applications: list(anyObject),
  }),
  FriendPresence: object(
    'What a friend shows',
    {
      user: object('The friend', { id: ref('Snowflake') }),
      status: status('online', 'idle', 'dnd'),
      activities: list(ref('Activity')),
      client_status: anyObject,
    },
    { has_played_game: boolean },
  ),
  Activity: { ...anyObject, description: 'What a user does, as others see it' },
  ActivityInput: object(
    'What a user does',
    {
      name: text(1, limits.nameLengthMax),
      type: integer(0, 5),
      application_id: ref('Snowflake'),
      platform: status(...activityPlatforms),
    },
    {
      state: nullable(short),
      details: nullable(short),
      state_url: bounded(limits.urlLengthMax),
      details_url: bounded(limits.urlLengthMax),
      instance: nullable(boolean),
      party: nullable(anyObject),
      assets: nullable(anyObject),
      secrets: nullable(anyObject),
      timestamps: nullable(anyObject),
      buttons: nullable(list({ description: 'A label, or an object with `label` and `url`' }, limits.buttonsMax)),
      metadata: nullable(anyObject),
    },
  ),
  SocialSettingsEdit: object('What is to be changed', {}, { ...settable, ...ofOwnClient }),
  SocialSettings: object('What the user has set', settable, ofOwnClient),
  HeadlessSessionInput: object(
    'One activity, and the token of the session that is to show it; without it, a new session',
    { activities: list(ref('ActivityInput'), 1) },
    { token: nullable(text()) },
  ),
  HeadlessSession: object('What is shown, and by which token it is updated', {
    activities: list(ref('Activity')),
    token: text(),
  }),
  HeadlessSessionEnd: object('The token of the session', { token: text() }),
  ActivitySubscriptions: object('Invites that the user has received', {
    subscriptions: list(
      object('An invite', {
        user_id: ref('Snowflake'),
        application_id: ref('Snowflake'),
        party_id: short,
        message_id: ref('Snowflake'),
        channel_id: ref('Snowflake'),
      }),
      limits.subscriptionsMax,
    ),
  }),
  ActivityMetadata: object('The addresses of the buttons', { button_urls: list(text(), limits.buttonsMax) }),
};
