import { type Activity, activityFlags, type SocialSettings } from '../../../../model/presence.ts';
import { type ApplicationId, readSnowflake } from '../../../../model/snowflake.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { ApplicationRecord, ShownActivity } from '../../../store/records.ts';

/** The session that sends activities. */
export interface ActivitySender {
  readonly sessionId: string;
  /** Of the session's token; null: a user's own client, which may name any application. */
  readonly applicationId: ApplicationId | null;
  readonly nowMs: number;
}

const customStatus = 4;

/** Bits that a client may set; the others follow from the activity. */
const settableFlags = activityFlags.INSTANCE | activityFlags.PLAY | activityFlags.CONTEXTLESS;

/**
 * The activities of a presence that passed the rules, as they are stored. Fields without a meaning are left out.
 *
 * Unspecified: of a game's session every activity belongs to its application, whatever it says; without a name it has the application's.
 *
 * @see docs/spec/social.md#activity
 */
export async function storedActivities(
  view: StoreView,
  activities: readonly Activity[],
  sender: ActivitySender,
): Promise<readonly ShownActivity[]> {
  const stored = await Promise.all(activities.map((activity, place) => storedActivity(view, activity, sender, place)));
  return stored.filter(activity => activity !== undefined);
}

async function storedActivity(
  view: StoreView,
  activity: Activity,
  { sessionId, applicationId, nowMs }: ActivitySender,
  place: number,
): Promise<ShownActivity | undefined> {
  const type = activity.type ?? 0;
  const isCustom = type === customStatus;
  const id = isCustom ? undefined : (applicationId ?? readSnowflake(activity.application_id));
  const application = id === undefined ? undefined : await view.get('applications', id);
  const name = activity.name || (isCustom ? 'Custom Status' : application?.name);
  if (!name) return undefined;
  return {
    family_id: application?.parent_id ?? id ?? null,
    activity: {
      ...given(activity),
      id: `${sessionId.slice(-12)}${place}`,
      name,
      type,
      created_at: nowMs,
      session_id: sessionId,
      ...(id !== undefined && { application_id: id }),
      ...parentOf(application),
    },
  };
}

function parentOf(application: ApplicationRecord | undefined): Pick<Activity, 'parent_application_id'> {
  return application?.parent_id == null ? {} : { parent_application_id: application.parent_id };
}

const copied = [
  'url',
  'state',
  'state_url',
  'details',
  'details_url',
  'status_display_type',
  'instance',
  'flags',
  'supported_platforms',
  'platform',
] as const;
const assetKeys = [
  'large_image',
  'large_text',
  'large_url',
  'small_image',
  'small_text',
  'small_url',
  'invite_cover_image',
] as const;

/** The fields of an activity that are kept as they were given. */
function given(activity: Activity): Partial<Activity> {
  const { timestamps, emoji, party, assets, secrets, buttons, metadata } = activity;
  return {
    ...picked(activity, copied),
    ...(timestamps && { timestamps: picked(timestamps, ['start', 'end']) }),
    ...(emoji && { emoji: readEmoji(emoji) }),
    ...(party && { party: picked(party, ['id', 'size', 'privacy']) }),
    ...(assets && { assets: picked(assets, assetKeys) as Record<string, string> }),
    ...(secrets?.join != null && { secrets: { join: secrets.join } }),
    ...(buttons && buttons.length > 0 && withButtons(buttons, metadata?.button_urls ?? [])),
  };
}

/** Ids may be sent as numbers. */
function readEmoji(emoji: NonNullable<Activity['emoji']>): NonNullable<Activity['emoji']> {
  const given = picked(emoji, ['name', 'id', 'animated']) as NonNullable<Activity['emoji']>;
  const id = readSnowflake(given.id);
  return id === undefined ? given : { ...given, id };
}

/** Buttons are stored as their labels, and their addresses apart. */
function withButtons(buttons: NonNullable<Activity['buttons']>, urls: readonly string[]): Partial<Activity> {
  const addresses = buttons.map((button, place) => (typeof button === 'string' ? urls[place] : button.url));
  const button_urls = addresses.filter(url => url !== undefined);
  return {
    buttons: buttons.map(button => (typeof button === 'string' ? button : button.label)),
    ...(button_urls.length > 0 && { metadata: { button_urls } }),
  };
}

function picked<Fields extends object, Name extends keyof Fields>(fields: Fields, names: readonly Name[]) {
  return Object.fromEntries(names.filter(name => fields[name] != null).map(name => [name, fields[name]])) as Partial<
    Pick<Fields, Name>
  >;
}

/** Which parties others may join without asking. */
export type PartySettings = Pick<
  SocialSettings,
  'allow_activity_party_privacy_friends' | 'allow_activity_party_privacy_voice_channel'
>;

/** An activity as others see it: without secrets, the party's privacy, and the addresses of buttons. */
export function publicActivity({ activity }: ShownActivity, settings: PartySettings): Activity {
  const { secrets: _, metadata: __, party, ...rest } = activity;
  const flags = derivedFlags(activity, settings);
  return {
    ...rest,
    ...(party && { party: picked(party, ['id', 'size']) }),
    ...(flags !== 0 || rest.flags !== undefined ? { flags } : {}),
  };
}

/**
 * The flags of an activity: whether others can join it, and whether they must ask.
 *
 * Unspecified: a party without a size cannot be joined.
 */
export function derivedFlags({ flags = 0, instance, party, secrets }: Activity, settings: PartySettings): number {
  const [current, max] = party?.size ?? [1, 1];
  const isJoinable = secrets?.join !== undefined && party?.id !== undefined && (max === 0 || current < max);
  const isPublic = party?.privacy === 1;
  const { allow_activity_party_privacy_friends: friends, allow_activity_party_privacy_voice_channel: voice } = settings;
  return (
    (flags & settableFlags) |
    (instance ? activityFlags.INSTANCE : 0) |
    (isJoinable ? activityFlags.JOIN : 0) |
    (isPublic && friends ? activityFlags.PARTY_PRIVACY_FRIENDS : 0) |
    (isPublic && voice ? activityFlags.PARTY_PRIVACY_VOICE_CHANNEL : 0)
  );
}
