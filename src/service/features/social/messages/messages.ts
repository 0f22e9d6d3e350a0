import type {
  ConversationSummary,
  DirectChannel,
  DirectMessageInput,
  MessageActivity,
} from '../../../../model/direct-message.ts';
import { socialLimits } from '../../../../model/limits/social-limits.ts';
import type { Metadata } from '../../../../model/lobby.ts';
import { sameMetadata } from '../../../../model/rules/lobbies/lobby.ts';
import { checkModerationMetadata } from '../../../../model/rules/lobbies/lobby-message.ts';
import { checkDirectMessage, checkDirectMessageEdit, isEmptyMessage } from '../../../../model/rules/social/message.ts';
import { type ApplicationId, type MessageId, snowflakeTimeMs, type UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { createExpiry } from '../../../expiry.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type {
  ApplicationRecord,
  DirectChannelRecord,
  DirectMessageRecord,
  UserRecord,
} from '../../../store/records.ts';
import { countWithin } from '../../../support/count-within.ts';
import { LruCache } from '../../../support/lru-cache.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import type { AfterCommit, WebhookEvents } from '../../webhooks/events.ts';
import { familyOfId, isInGame } from '../family.ts';
import { familyOf, pairOf } from '../pair.ts';
import { hasAuthorized } from '../relationships/records.ts';
import { announceChannel, announceDeletion, announceInvite, announceMessage, announceModeration } from './announce.ts';
import { readConversations } from './channels.ts';
import {
  type ActivitySecrets,
  checkInvite,
  createActivitySecrets,
  type InviteSender,
  invitedApplication,
  type PresentActivities,
} from './invites.ts';
import { createSocialLimits } from './limits.ts';
import { type ChannelMoves, createChannelMoves } from './moves.ts';
import {
  channelOf,
  deleteRecord,
  ephemeralPlace,
  messageOf,
  messagesGuards,
  messagesScope,
  newChannel,
  type Pair,
  pairName,
  putPlaces,
} from './pair.ts';
import { decideMessage, type MessageDecision, readMessageFacts } from './permission.ts';
import { channelView, composeMessage, historyView, type Invite, messageView, webhookView } from './view.ts';

/** Who calls: a user in a game or, without an application, by an own client. */
export interface MessageCaller extends InviteSender {
  /** It may send messages that are not invites. */
  readonly mayWrite: boolean;
}

/**
 * Messages between two users. A conversation belongs to the users, not to an application. It shows its last
 * `serviceLimits.directHistoryMessagesMax` messages, none older than `serviceLimits.directHistoryAgeMaxMs`. Ephemeral messages are
 * delivered and never shown again; they are stored for a while so that they can be edited and deleted.
 *
 * @see docs/spec/social.md#direct-messages; docs/spec/social.md#messages
 */
export interface DirectMessages {
  /**
   * Sends a message, or an invite.
   *
   * @throws RequestError `invalid_form_body`, `missing_scope`, `empty_message`, `invalid_recipient`, `unknown_user`,
   *   `invalid_activity_action`, `opening_messages_too_fast`, and those of {@link decideMessage}
   */
  send(caller: MessageCaller, recipientId: UserId, input: unknown): Promise<string>;
  /** The newest message first. @throws RequestError `invalid_recipient`, `unknown_user`, `unknown_channel` */
  list(caller: InviteSender, otherId: UserId, count: number): Promise<string>;
  /** @throws RequestError as {@link DirectMessages.send}; `unknown_message`, `not_the_author` */
  edit(caller: InviteSender, recipientId: UserId, id: MessageId, input: unknown): Promise<string>;
  /** Unspecified: also after a block. @throws RequestError `unknown_message`, `missing_permissions` for another's message */
  remove(caller: InviteSender, otherId: UserId, id: MessageId): Promise<void>;
  /**
   * Replaces what an application notes about a message that was sent in one of its games, or in another of the same publisher.
   *
   * @throws RequestError `invalid_form_body`, `unknown_message`
   */
  moderate(application: ApplicationRecord, users: Pair, id: MessageId, input: unknown): Promise<void>;
  /** @throws RequestError `invalid_recipient`, `unknown_user`, `unknown_channel` */
  channel(userId: UserId, otherId: UserId): Promise<DirectChannel>;
  /** The user's conversations, the one with the newest message first. */
  conversations(userId: UserId): Promise<readonly ConversationSummary[]>;
  readonly secrets: ActivitySecrets;
  move: ChannelMoves['move'];
  endAll: ChannelMoves['endAll'];
  /** Starts to delete ephemeral messages that have expired; the returned function stops it. */
  start(): Promise<() => void>;
}

export function createDirectMessages(
  core: Core,
  { webhookEvents, present }: { readonly webhookEvents: WebhookEvents; readonly present: PresentActivities },
): DirectMessages {
  const { store, bus, clock, ids } = core;
  const expiry = createExpiry(core, 'direct_messages', expire);
  const opened = createSocialLimits(core);
  /** How many ephemeral messages each pair has sent since the old ones of it were looked for. */
  const ephemeralCounts = new LruCache<number>(ephemeralCountsMax);

  async function send(caller: MessageCaller, recipientId: UserId, input: unknown): Promise<string> {
    rejectIssues(checkDirectMessage(input));
    const body = allowedPart(caller, input as DirectMessageInput);
    if (isEmptyMessage(body)) throw new RequestError('empty_message');
    const sender = caller.user;
    const pair = await pairWith(sender, recipientId);
    const about = body.activity ? await invitedApplication(store, caller, body) : null;
    const application = caller.application ?? about;
    const familyId = application && familyOf(application);
    await countStart(sender, recipientId, familyId, pair, body.activity);
    const { text, expiresAtMs, isEphemeral, afterCommit } = await store.transact(
      messagesScope(pair),
      async transaction => {
        // Read anew: an account may have been merged meanwhile, or have another name.
        const author = await requireUser(transaction, sender.id);
        const recipient = await requireUser(transaction, recipientId);
        const { kind } = await permitted(transaction, author, recipient, familyId);
        const invite =
          body.activity && about
            ? await checkInvite(present, transaction, author, recipient, about, body.activity)
            : undefined;
        return sendWithin(transaction, { caller, sender: author, recipient, pair, familyId, body, invite, kind });
      },
      messagesGuards(pair),
    );
    afterCommit();
    if (isEphemeral) countEphemeral(pairName(pair));
    expiry.notice(expiresAtMs);
    return text;
  }

  function countEphemeral(pair: string): void {
    const count = ephemeralCounts.get(pair) ?? 0;
    ephemeralCounts.set(pair, count < sweepEvery ? count + 1 : 0, 1);
  }

  interface Sending {
    readonly caller: MessageCaller;
    readonly sender: UserRecord;
    readonly recipient: UserRecord;
    readonly pair: Pair;
    readonly familyId: ApplicationId | null;
    readonly body: DirectMessageInput;
    readonly invite: Invite | undefined;
    readonly kind: 'direct' | 'ephemeral';
  }

  async function sendWithin(transaction: Transaction, sending: Sending) {
    const { caller, sender, recipient, pair, familyId, body, invite, kind } = sending;
    const isEphemeral = kind === 'ephemeral';
    // Generated within the transaction, so that ids rise in the order of the commits.
    const before = isEphemeral ? undefined : await channelOf(transaction, pair);
    const channel = isEphemeral ? undefined : (before ?? newChannel(ids.next(), pair));
    const id: MessageId = ids.next();
    const record: DirectMessageRecord = {
      channel_id: channel?.id ?? ephemeralPlace(pair),
      sent_at_ms: snowflakeTimeMs(id),
      id,
      author_id: sender.id,
      recipient_id: recipient.id,
      application_id: caller.application?.id ?? null,
      message: composeMessage(id, sender, caller.application, body, invite),
      edited_at_ms: null,
      moderation_metadata: null,
      is_ephemeral: isEphemeral,
      expires_at_ms: isEphemeral ? snowflakeTimeMs(id) + serviceLimits.ephemeralMessageLifeMs : null,
    };
    if (isEphemeral && ephemeralCounts.get(pairName(pair)) === sweepEvery) await sweepEphemeral(transaction, pair);
    if (channel && !before) await requireRoom(transaction, pair);
    if (channel) await putInChannel(transaction, channel, record, before === undefined, sender);
    transaction.put('direct_messages', record);
    announceMessage(transaction, 'MESSAGE_CREATE', record, familyId, body);
    if (invite) announceInvite(transaction, record, invite, familyId);
    const afterCommit = await tellServer(transaction, 'GAME_DIRECT_MESSAGE_CREATE', record, [sender, recipient]);
    const text = JSON.stringify(messageView(record, sender.id, body, { withModeration: false }));
    return { text, afterCommit, expiresAtMs: record.expires_at_ms, isEphemeral };
  }

  async function putInChannel(
    transaction: Transaction,
    before: DirectChannelRecord,
    { id, recipient_id }: DirectMessageRecord,
    isNew: boolean,
    sender: UserRecord,
  ): Promise<void> {
    const channel = { ...before, last_message_id: id, message_count: before.message_count + 1 };
    const swept = channel.message_count % sweepEvery === 0 ? await sweep(transaction, channel) : 0;
    transaction.put('direct_channels', { ...channel, message_count: channel.message_count - swept });
    if (!isNew) return;
    putPlaces(transaction, channel);
    announceChannel(transaction, 'CHANNEL_CREATE', channel, recipient_id, sender);
  }

  /**
   * Deletes messages that are no longer shown: enough at a time to keep up, and not more. Invites can be accepted for as long as they are
   * valid. @returns how many
   */
  async function sweep(transaction: Transaction, { id, message_count }: DirectChannelRecord): Promise<number> {
    const oldest = await transaction.list('direct_messages', { equals: [id], limit: 2 * sweepEvery });
    const tooMany = message_count - serviceLimits.directHistoryMessagesMax;
    const gone = oldest.filter((record, at) => {
      const ageMs = clock.now() - record.sent_at_ms;
      if (record.message.activity && ageMs < serviceLimits.activityInviteLifeMs) return false;
      return at < tooMany || ageMs > serviceLimits.directHistoryAgeMaxMs;
    });
    for (const record of gone) deleteRecord(transaction, record);
    return gone.length;
  }

  /** Deletes the oldest ephemeral messages, except invites, so that not more are kept than of others. */
  async function sweepEphemeral(transaction: Transaction, pair: Pair): Promise<void> {
    const { directHistoryMessagesMax } = serviceLimits;
    const limit = directHistoryMessagesMax + 4 * sweepEvery;
    const stored = await transaction.list('direct_messages', { equals: [ephemeralPlace(pair)], limit });
    const tooMany = stored.slice(0, Math.max(0, stored.length - directHistoryMessagesMax));
    for (const record of tooMany) if (!record.message.activity) deleteRecord(transaction, record);
  }

  /** The application by whose session the message was sent receives it while one of the two is in a game of it. */
  async function tellServer(
    transaction: Transaction,
    name: Parameters<WebhookEvents['directMessage']>[2]['name'],
    record: DirectMessageRecord,
    users: readonly [author: UserRecord, recipient: UserRecord],
  ): Promise<AfterCommit> {
    if (record.application_id === null) return nothing;
    const application = await transaction.get('applications', record.application_id);
    if (!application || application.event_webhooks_url === null) return nothing;
    const familyId = familyOf(application);
    const there = await Promise.all(users.map(({ id }) => isInGame(bus, transaction, id, familyId)));
    if (!there.includes(true)) return nothing;
    const pair = pairOf(users[0].id, users[1].id);
    const data = webhookView(record, users);
    return webhookEvents.directMessage(transaction, messagesScope(pair), {
      application,
      name,
      pair: pairName(pair),
      user: users[0],
      data,
    });
  }

  /** Counts a new conversation, and an invite. A message that is rejected anyway counts for nothing. */
  async function countStart(
    sender: UserRecord,
    recipientId: UserId,
    familyId: ApplicationId | null,
    pair: Pair,
    activity: MessageActivity | null | undefined,
  ): Promise<void> {
    if (!core.limits.buckets['direct-message-open'] && !core.limits.buckets['activity-invite']) return;
    const isOpen = (await channelOf(store, pair)) !== undefined || (await hasEphemeral(store, pair));
    if (isOpen && !activity) return;
    await permitted(store, sender, await requireUser(store, recipientId), familyId);
    if (activity) await opened.countInvite(sender.id);
    if (!isOpen) await opened.countOpened(sender.id);
  }

  async function permitted(
    view: StoreView,
    sender: UserRecord,
    recipient: UserRecord,
    familyId: ApplicationId | null,
  ): Promise<Extract<MessageDecision, { kind: 'direct' | 'ephemeral' }>> {
    const decision = decideMessage(await readMessageFacts(core, view, sender, recipient, familyId));
    if (decision.kind === 'rejected') throw new RequestError(decision.reason);
    return decision;
  }

  /** @throws RequestError `invalid_recipient`, `unknown_user` */
  async function pairWith({ id }: Pick<UserRecord, 'id'>, otherId: UserId): Promise<Pair> {
    if (id === otherId) throw new RequestError('invalid_recipient');
    await requireUser(store, otherId);
    return pairOf(id, otherId);
  }

  async function list({ user, application }: InviteSender, otherId: UserId, count: number): Promise<string> {
    const pair = await pairWith(user, otherId);
    const channel = await channelOf(store, pair);
    if (!channel) throw new RequestError('unknown_channel');
    if (application && !(await hasAuthorized(store, familyOf(application), otherId))) {
      throw new RequestError('unknown_channel');
    }
    const query = { equals: [channel.id], descending: true, limit: count } as const;
    const shown = (await store.list('direct_messages', query)).filter(isShown);
    const familyId = application && familyOf(application);
    const visible = await Promise.all(shown.map(record => withoutForeignModeration(store, record, familyId)));
    const messages = visible.map(record => historyView(record, user.id));
    return JSON.stringify(messages.slice(0, countWithin(messages, serviceLimits.messageListBytesMax)));
  }

  function isShown({ sent_at_ms, is_ephemeral }: DirectMessageRecord): boolean {
    const ageMs = clock.now() - sent_at_ms;
    return ageMs <= (is_ephemeral ? serviceLimits.ephemeralMessageLifeMs : serviceLimits.directHistoryAgeMaxMs);
  }

  /** @throws RequestError `unknown_message` */
  async function shownMessage(view: StoreView, pair: Pair, id: MessageId) {
    const { record, channel } = await messageOf(view, pair, id);
    if (!record || !isShown(record)) throw new RequestError('unknown_message');
    return { record, channel };
  }

  async function edit({ user, application }: InviteSender, recipientId: UserId, id: MessageId, input: unknown) {
    rejectIssues(checkDirectMessageEdit(input));
    const { content } = input as DirectMessageInput;
    const pair = await pairWith(user, recipientId);
    const { text, afterCommit } = await store.transact(
      messagesScope(pair),
      async transaction => {
        const { record } = await shownMessage(transaction, pair, id);
        if (record.author_id !== user.id) throw new RequestError('not_the_author');
        if (isEmptyMessage({ content })) throw new RequestError('empty_message');
        const recipient = await requireUser(transaction, recipientId);
        await permitted(transaction, user, recipient, application && familyOf(application));
        const edited: DirectMessageRecord = {
          ...record,
          message: { ...record.message, content: content ?? '' },
          edited_at_ms: clock.now(),
          // What was noted is about the former content.
          moderation_metadata: null,
        };
        transaction.put('direct_messages', edited);
        announceMessage(transaction, 'MESSAGE_UPDATE', edited, await familyOfRecord(transaction, record));
        const tell = await tellServer(transaction, 'GAME_DIRECT_MESSAGE_UPDATE', edited, [user, recipient]);
        const shown = messageView(edited, user.id, {}, { withModeration: false });
        return { text: JSON.stringify(shown), afterCommit: tell };
      },
      messagesGuards(pair),
    );
    afterCommit();
    return text;
  }

  async function remove({ user }: InviteSender, otherId: UserId, id: MessageId): Promise<void> {
    const pair = await pairWith(user, otherId);
    const afterCommit = await store.transact(messagesScope(pair), async transaction => {
      const { record, channel } = await shownMessage(transaction, pair, id);
      if (record.author_id !== user.id) throw new RequestError('missing_permissions');
      deleteRecord(transaction, record);
      if (channel) transaction.put('direct_channels', { ...channel, message_count: channel.message_count - 1 });
      announceDeletion(transaction, record, await familyOfRecord(transaction, record));
      const recipient = await requireUser(transaction, record.recipient_id);
      return tellServer(transaction, 'GAME_DIRECT_MESSAGE_DELETE', record, [user, recipient]);
    });
    afterCommit();
  }

  async function moderate(application: ApplicationRecord, [a, b]: Pair, id: MessageId, input: unknown): Promise<void> {
    rejectIssues(checkModerationMetadata(input));
    const moderation_metadata = input as Metadata;
    const familyId = familyOf(application);
    const pair = pairOf(a, b);
    await store.transact(messagesScope(pair), async transaction => {
      const { record } = await shownMessage(transaction, pair, id);
      if ((await familyOfRecord(transaction, record)) !== familyId) throw new RequestError('unknown_message');
      if (sameMetadata(record.moderation_metadata, moderation_metadata)) return;
      const noted = { ...record, moderation_metadata };
      transaction.put('direct_messages', noted);
      announceModeration(transaction, noted, familyId);
    });
  }

  async function expire(id: MessageId, nowMs: number): Promise<void> {
    const [due] = await store.list('direct_messages', { index: 'byId', equals: [id], limit: 1 });
    if (!due || due.expires_at_ms === null || due.expires_at_ms > nowMs) return;
    const pair = pairOf(due.author_id, due.recipient_id);
    await store.transact(messagesScope(pair), transaction => deleteRecord(transaction, due));
  }

  async function channel(userId: UserId, otherId: UserId): Promise<DirectChannel> {
    const found = await channelOf(store, await pairWith({ id: userId }, otherId));
    if (!found) throw new RequestError('unknown_channel');
    return channelView(found, await requireUser(store, otherId));
  }

  return {
    ...{ send, list, edit, remove, moderate, channel },
    conversations: userId => readConversations(store, userId),
    secrets: createActivitySecrets(core, present),
    ...createChannelMoves(core),
    start: expiry.start,
  };
}

/** One message in this many looks for old ones. */
const sweepEvery = 32;
/** Pairs whose ephemeral messages are counted. */
const ephemeralCountsMax = 20_000;

const nothing: AfterCommit = () => {};

/** Unspecified: the error. @throws RequestError `opening_messages_too_fast` when one of the two has as many conversations as allowed */
async function requireRoom(view: StoreView, pair: Pair): Promise<void> {
  const limit = socialLimits.conversationsMax;
  for (const userId of pair) {
    const places = await view.list('direct_recipients', { equals: [userId], limit });
    if (places.length < limit) continue;
    const message = `Maximum number of conversations reached (${limit})`;
    throw new RequestError('opening_messages_too_fast', { message });
  }
}

/** @throws RequestError `unknown_user` */
async function requireUser(view: StoreView, id: UserId): Promise<UserRecord> {
  const user = await view.get('users', id);
  if (!user) throw new RequestError('unknown_user');
  return user;
}

/**
 * What the caller's scopes allow of a message. Unspecified: what an invite may not have is dropped, not rejected.
 *
 * @throws RequestError `missing_scope`
 */
function allowedPart({ mayWrite }: MessageCaller, body: DirectMessageInput): DirectMessageInput {
  if (mayWrite) return body;
  const { activity, application_id, nonce } = body;
  if (!activity) throw new RequestError('missing_scope');
  return { activity, ...(application_id && { application_id }), ...(nonce !== undefined && { nonce }) };
}

async function hasEphemeral(view: StoreView, pair: Pair): Promise<boolean> {
  return (await view.list('direct_messages', { equals: [ephemeralPlace(pair)], limit: 1 })).length > 0;
}

function familyOfRecord(view: StoreView, { application_id }: DirectMessageRecord) {
  return application_id === null ? null : familyOfId(view, application_id);
}

/** Only the games of the application that noted something about a message see it. */
async function withoutForeignModeration(
  view: StoreView,
  record: DirectMessageRecord,
  familyId: ApplicationId | null,
): Promise<DirectMessageRecord> {
  if (record.moderation_metadata === null) return record;
  const isOwn = familyId !== null && (await familyOfRecord(view, record)) === familyId;
  return isOwn ? record : { ...record, moderation_metadata: null };
}
