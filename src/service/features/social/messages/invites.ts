import {
  activityActionTypes,
  type DirectMessageInput,
  type MessageActivity,
} from '../../../../model/direct-message.ts';
import { type Activity, activityFlags } from '../../../../model/presence.ts';
import {
  type ApplicationId,
  type ChannelId,
  type MessageId,
  readSnowflake,
  type UserId,
} from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { ApplicationRecord, DirectMessageRecord, UserRecord } from '../../../store/records.ts';
import { serviceFieldErrors } from '../../../support/api-messages.ts';
import type { MaybePromise } from '../../../support/maybe-promise.ts';
import { invalidBody, RequestError } from '../../../support/request-error.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { familyOf, pairOf } from '../pair.ts';
import { areFriends, areGameFriends, isBlockedBetween } from '../relationships/records.ts';
import { messageOf } from './pair.ts';
import { historyView, type Invite } from './view.ts';

/** What a user is doing in a game, as the session that says so sent it, with flags derived by the service. */
export interface PresentActivity {
  readonly sessionId: string;
  readonly activity: Activity;
  /** The user is shown to others as offline. */
  readonly isInvisible: boolean;
  /** Others do not see the activity: the user is invisible or does not show games. */
  readonly isHidden: boolean;
}

/** What users are doing now. */
export interface PresentActivities {
  /** @returns undefined if the user, or that session, has no activity of the application */
  find(
    view: StoreView,
    userId: UserId,
    applicationId: ApplicationId,
    sessionId?: string,
  ): MaybePromise<PresentActivity | undefined>;
  /** Whether the user has such a session. */
  hasSession(view: StoreView, userId: UserId, sessionId: string): MaybePromise<boolean>;
}

const { JOIN } = activityActionTypes;

/** Who sends an invite: without an application, the user's own client. */
export interface InviteSender {
  readonly user: UserRecord;
  readonly application: ApplicationRecord | null;
}

/**
 * The application that an invite is about: the sender's own, or another of the same publisher.
 *
 * @throws RequestError `invalid_form_body`
 */
export async function invitedApplication(
  view: StoreView,
  { application }: InviteSender,
  { application_id }: DirectMessageInput,
): Promise<ApplicationRecord> {
  const id = readSnowflake<'application'>(application_id);
  if (application && (id === undefined || id === application.id)) return application;
  const found = id === undefined ? undefined : await view.get('applications', id);
  if (found && (!application || familyOf(found) === familyOf(application))) return found;
  const message = serviceFieldErrors.ID_UNKNOWN('application');
  throw invalidBody([{ path: ['application_id'], code: 'ID_UNKNOWN', message }]);
}

/**
 * Checks an invite against the present activity of its sender, or a request to join against the recipient's.
 *
 * @throws RequestError `invalid_activity_action`
 */
export async function checkInvite(
  present: PresentActivities,
  view: StoreView,
  sender: UserRecord,
  recipient: UserRecord,
  application: ApplicationRecord,
  { type, party_id, session_id }: MessageActivity,
): Promise<Invite> {
  const isInvite = type === JOIN;
  const found = isInvite
    ? await present.find(view, sender.id, application.id, session_id)
    : await present.find(view, recipient.id, application.id);
  // Nobody learns from a request to join what others do not see.
  if (!found || !isJoinable(found.activity) || (!isInvite && found.isHidden)) throw invalid();
  const partyId = found.activity.party?.id;
  if (party_id !== undefined && party_id !== partyId) throw invalid();
  const activity = { type, ...(partyId !== undefined && { party_id: partyId }), session_id: found.sessionId };
  return { application, activity };
}

function invalid(): RequestError {
  return new RequestError('invalid_activity_action');
}

/** The game has said how to join it, and its party has a free place. */
function isJoinable({ flags = 0, secrets }: Activity): boolean {
  return (flags & activityFlags.JOIN) !== 0 && secrets?.join !== undefined;
}

/** Which activity's secret is asked for, and by what right. */
export interface SecretRequest {
  readonly userId: UserId;
  readonly sessionId: string;
  readonly applicationId: ApplicationId;
  /** The invite by which the caller asks; without it, the activity must be open to the user's friends. */
  readonly messageId?: MessageId | undefined;
  /** Where the caller has received it. */
  readonly channelId?: ChannelId | undefined;
}

/**
 * The secrets by which games let players in.
 *
 * @see docs/spec/social.md#invites
 */
export interface ActivitySecrets {
  /**
   * The present secret of an activity, not the one at the time of the invite.
   *
   * @throws RequestError `unknown_session`, `unknown_message`, `activity_expired`, `no_activity_access`
   */
  read(caller: InviteSender, request: SecretRequest): Promise<{ readonly secret: string }>;
}

export function createActivitySecrets(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  present: PresentActivities,
): ActivitySecrets {
  async function requireInvite(caller: UserRecord, host: UserRecord, request: SecretRequest, messageId: MessageId) {
    const { record } = await messageOf(store, pairOf(caller.id, host.id), messageId);
    if (!record || !isInviteTo(record, caller.id, request)) throw new RequestError('unknown_message');
    if (clock.now() - record.sent_at_ms >= serviceLimits.activityInviteLifeMs) {
      throw new RequestError('activity_expired');
    }
    return record;
  }

  async function read({ user, application }: InviteSender, request: SecretRequest) {
    const { userId, sessionId, applicationId, messageId } = request;
    const host = await store.get('users', userId);
    if (!host) throw new RequestError('unknown_session');
    if (application && !(await isOfFamily(store, application, applicationId))) throw noAccess();
    if (await isBlockedBetween(store, user.id, host.id)) throw noAccess();
    // What was not sent to the caller must not show who has which sessions.
    const invite = messageId === undefined ? undefined : await requireInvite(user, host, request, messageId);
    if (!invite && !(await areFriendsOfAnyKind(store, user.id, host.id, application))) throw noAccess();
    if (!(await present.hasSession(store, userId, sessionId))) throw new RequestError('unknown_session');
    const found = await present.find(store, userId, applicationId, sessionId);
    if (!found || found.isInvisible || (!invite && found.isHidden)) throw new RequestError('activity_expired');
    const { flags = 0, party, secrets } = found.activity;
    if (invite && invite.message.activity?.party_id !== party?.id) throw new RequestError('activity_expired');
    if (!isJoinable(found.activity) || secrets?.join === undefined) throw noAccess();
    if (!invite && (flags & activityFlags.PARTY_PRIVACY_FRIENDS) === 0) throw noAccess();
    return { secret: secrets.join };
  }

  return { read };
}

function noAccess(): RequestError {
  return new RequestError('no_activity_access');
}

function isInviteTo(record: DirectMessageRecord, userId: UserId, { applicationId, channelId }: SecretRequest): boolean {
  const { recipient_id, message } = record;
  if (channelId !== undefined && channelId !== historyView(record, userId).channel_id) return false;
  return recipient_id === userId && message.activity?.type === JOIN && message.application_id === applicationId;
}

async function isOfFamily(view: StoreView, application: ApplicationRecord, id: ApplicationId): Promise<boolean> {
  const other = await view.get('applications', id);
  return other !== undefined && familyOf(other) === familyOf(application);
}

/** Friends everywhere, or in the game. */
async function areFriendsOfAnyKind(
  view: StoreView,
  userId: UserId,
  otherId: UserId,
  application: ApplicationRecord | null,
): Promise<boolean> {
  if (await areFriends(view, userId, otherId)) return true;
  return application !== null && areGameFriends(view, familyOf(application), userId, otherId);
}
