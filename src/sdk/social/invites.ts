import { activityActionTypes } from '../../model/direct-message.ts';
import { ArgumentError } from '../../model/errors/errors.ts';
import { activityFlags } from '../../model/presence.ts';
import { checkLobbyMessage } from '../../model/rules/lobbies/lobby-message.ts';
import { isSnowflake, type MessageId, parseSnowflake, snowflakeTimeMs, type UserId } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import { leftMs, type Moment, momentIn } from '../../wire/clock/moment.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { OperationOptions } from '../call-options.ts';
import { Alarm } from '../connection/alarm.ts';
import { LiveValue } from '../live/live-value.ts';
import type { Observable } from '../live/rxjs.ts';
import type { Fields } from '../lobby/fields.ts';
import type { LobbyCollection } from '../lobby/lobby-collection.ts';
import type { LobbyHandle } from '../lobby/lobby-handle.ts';
import type { LobbyNews } from '../lobby/lobby-news.ts';
import { readText, readUser } from '../lobby/lobby-reader.ts';
import { type JoinOptions, unreadable } from '../lobby/operations.ts';
import { share, shareItems } from '../lobby/share.ts';
import type { PlayerPresence } from './presence.ts';
import type { InviteSnapshot, LaunchSnapshot } from './snapshot.ts';
import type { SocialCalls } from './social-calls.ts';

/** How long an invite can be accepted. @see docs/spec/social.md#invites */
export const inviteLifeMs = 6 * 60 * 60_000;

/** Unspecified: how many invites are kept; of more, the oldest are dropped. */
export const invitesKeptMax = 50;

export interface InviteOptions extends OperationOptions {
  /** A text for the other user. Needs the scope `dm_channels.messages.write`, without which it is not delivered. */
  readonly content?: string | undefined;
}

export interface InvitePorts<LobbyMetadata, MemberMetadata> {
  readonly clock: Clock;
  readonly news: LobbyNews;
  readonly presence: PlayerPresence;
  readonly lobbies: LobbyCollection<LobbyMetadata, MemberMetadata>;
}

/**
 * Invites to join a party, from and to other users, and requests to be invited. A party's members share a secret, which those who
 * accept an invite get: the secret of a lobby, if the player's activity has that as its `joinSecret`.
 *
 * @see docs/spec/social.md#invites
 * @example
 * client.invites.invites$.subscribe(invites => console.log(invites.filter(({ isValid }) => isValid).length));
 * client.events$.subscribe(async event => {
 *   if (event.type === 'inviteReceived' && event.invite.type === 'join') await client.invites.join(event.invite.id);
 * });
 */
export class Invites<LobbyMetadata, MemberMetadata> {
  /** Those received, oldest first, also those that are no longer valid: {@link dismiss} removes them. */
  readonly invites$: Observable<readonly InviteSnapshot[]>;
  /** What the game was started for, or was asked to join since; undefined when there is nothing. */
  readonly launch$: Observable<LaunchSnapshot | undefined>;
  readonly #ports: InvitePorts<LobbyMetadata, MemberMetadata>;
  readonly #social: SocialCalls;
  readonly #invites = new LiveValue<readonly InviteSnapshot[]>(Object.freeze([]));
  readonly #launch = new LiveValue<LaunchSnapshot | undefined>(undefined);
  readonly #senders = new Map<UserId, { unsubscribe(): void }>();
  /** When those that are shown expire. */
  readonly #ends = new Map<MessageId, Moment>();
  /** Those whose message was deleted. */
  readonly #withdrawn = new Set<MessageId>();
  /** Those about whose party this session has asked. */
  readonly #subscribed = new Set<MessageId>();
  #isReady = false;
  readonly #alarm: Alarm;

  /** @internal */
  constructor(social: SocialCalls, ports: InvitePorts<LobbyMetadata, MemberMetadata>) {
    this.#social = social;
    this.#ports = ports;
    this.#alarm = new Alarm(ports.clock);
    this.invites$ = this.#invites.value$;
    this.launch$ = this.#launch.value$;
  }

  get invites(): readonly InviteSnapshot[] {
    return this.#invites.value;
  }

  get launch(): LaunchSnapshot | undefined {
    return this.#launch.value;
  }

  /**
   * Invites a user to the player's party. The player's activity needs a party with a free place, and a join secret.
   *
   * @throws ArgumentError `not_joinable`, `missing_scope`; ApiError `invalid_activity_action`, `cannot_send_to_user`, …
   */
  async send(userId: UserId, options: InviteOptions = {}): Promise<void> {
    const { activity } = this.#ports.presence.own;
    const { id, size } = (activity?.joinSecret === undefined ? undefined : activity.party) ?? {};
    if (id === undefined) throw notJoinable("The player's activity has no party with a join secret");
    const [present, max] = size ?? [1, 1];
    if (max > 0 && present >= max) throw notJoinable("The player's party has no size with a free place");
    await this.#post('invites.send', userId, activityActionTypes.JOIN, id, this.#ports.presence.sessionId, options);
  }

  /**
   * Asks a user to be invited to their party: they get a `join_request`, and may {@link reply}.
   *
   * @throws ArgumentError `not_joinable`: the user's activity has no party, or nobody can join it; as {@link send}
   */
  async requestJoin(userId: UserId, options: InviteOptions = {}): Promise<void> {
    const { activity } = this.#ports.presence.presence(userId);
    const partyId = ((activity?.flags ?? 0) & activityFlags.JOIN) === 0 ? undefined : activity?.party?.id;
    if (partyId === undefined) throw notJoinable(`The user ${userId} shows no party with a free place in this game`);
    const { JOIN_REQUEST } = activityActionTypes;
    await this.#post('invites.requestJoin', userId, JOIN_REQUEST, partyId, activity?.sessionId, options);
  }

  /** Grants a `join_request`: invites its sender. There is no refusal. @throws ArgumentError `unknown_invite`; as {@link send} */
  async reply(id: MessageId, options: InviteOptions = {}): Promise<void> {
    await this.send(this.#find(id, 'join_request').senderId, options);
  }

  /**
   * Accepts an invite, and resolves with the party's join secret. The sender is not told.
   *
   * @throws ArgumentError `unknown_invite`: there is none of that id, or it is a `join_request`; `not_joinable`
   * @throws ApiError `activity_expired`, `no_activity_access`, `unknown_session`, `unknown_message`
   */
  async accept(id: MessageId, options: OperationOptions = {}): Promise<string> {
    const invite = this.#find(id, 'join');
    const { senderId, channelId, sessionId, applicationId } = invite;
    if (sessionId === undefined || applicationId === undefined) {
      throw notJoinable('Nobody knows the session of the sender any more');
    }
    const path = { user_id: senderId, session_id: sessionId, application_id: applicationId };
    const request = { path, query: { ...(channelId !== undefined && { channel_id: channelId }), message_id: id } };
    const operation = { name: 'invites.accept', route: 'getActivitySecret', request } as const;
    const secret = asRecord((await this.#social.send(['activities.read'], operation, options)).body)?.secret;
    if (typeof secret !== 'string') throw unreadable('a join secret');
    return secret;
  }

  /**
   * {@link accept}, and joins the lobby whose secret it is. The invite is then dismissed.
   *
   * @throws as {@link accept} and {@link LobbyCollection.join}
   */
  async join(id: MessageId, options: JoinOptions = {}): Promise<LobbyHandle<LobbyMetadata, MemberMetadata>> {
    const next = this.#social.calls.sharedDeadline(parseOptions(options));
    const lobby = await this.#ports.lobbies.join(await this.accept(id, next()), next());
    this.dismiss(id);
    return lobby;
  }

  /** Removes an invite from {@link invites}. @returns whether there was one */
  dismiss(id: MessageId): boolean {
    const rest = this.invites.filter(invite => invite.id !== id);
    const isThere = rest.length < this.invites.length;
    if (isThere) this.#set(rest);
    return isThere;
  }

  /**
   * Joins the lobby of {@link launch}, and removes that.
   *
   * @throws ArgumentError `unknown_invite`: there is none; as {@link LobbyCollection.join}
   */
  async joinLaunch(options: JoinOptions = {}): Promise<LobbyHandle<LobbyMetadata, MemberMetadata>> {
    const launch = this.launch;
    if (!launch) throw unknownInvite('The game was not started for an invite.');
    const lobby = await this.#ports.lobbies.join(launch.joinSecret, options);
    if (this.launch === launch) this.dismissLaunch();
    return lobby;
  }

  dismissLaunch(): void {
    this.#launch.set(undefined);
  }

  /**
   * Takes an address by which the game was started or called: `<scheme>:/_discord/join?secret=…`. {@link Client.handleRedirect} does
   * so with every address that it gets.
   *
   * @returns whether it was one
   */
  handleAddress(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { href, searchParams } = new URL(address);
    const secrets = searchParams.getAll('secret');
    const [joinSecret = ''] = secrets;
    const isJoin = /[:/]_discord\/join\/?$/.test(href.split(/[?#]/)[0] ?? '');
    if (!isJoin || secrets.length !== 1 || joinSecret === '' || joinSecret.length > secretLengthMax) return false;
    this.#launch.set(Object.freeze({ joinSecret }));
    this.#ports.news.add({ type: 'activityJoin', joinSecret });
    this.#ports.news.flush();
    return true;
  }

  /** @internal Applies a dispatch. @returns whether it is an invite */
  apply(name: string, data: unknown): boolean {
    const fields = asRecord(data) ?? {};
    const activity = asRecord(fields.activity);
    if (name === 'MESSAGE_DELETE') return this.#withdraw(fields.id);
    if (name !== 'ACTIVITY_INVITE_CREATE' && !(name === 'MESSAGE_CREATE' && activity)) return false;
    const invite = this.#read(fields, activity ?? {});
    if (!invite || invite.senderId === this.#social.people.ownId) return true;
    if (this.invites.some(({ id }) => id === invite.id)) return true;
    this.#social.people.meet(fields.author);
    this.#ends.set(invite.id, endOf(invite, this.#ports.clock));
    this.#set([...this.invites, invite].slice(-invitesKeptMax));
    this.#ports.news.add({ type: 'inviteReceived', invite: this.invites.find(({ id }) => id === invite.id) ?? invite });
    this.#ports.news.flush();
    return true;
  }

  /** @internal */
  setReady(isReady: boolean): void {
    this.#isReady = isReady;
    // Subscriptions end with the session.
    if (isReady) this.#subscribe();
    else this.#subscribed.clear();
  }

  /** @internal The player has disconnected. */
  forget(): void {
    this.#set([]);
    this.#withdrawn.clear();
  }

  /** @internal */
  close(): void {
    this.#set([]);
    this.#invites.complete();
    this.#launch.complete();
  }

  #set(invites: readonly InviteSnapshot[]): void {
    const { people } = this.#social;
    const senders = new Set(invites.map(({ senderId }) => senderId));
    for (const [id, watch] of this.#senders) {
      if (senders.has(id)) continue;
      watch.unsubscribe();
      this.#senders.delete(id);
    }
    const ids = new Set(invites.map(({ id }) => id));
    for (const id of this.#ends.keys()) if (!ids.has(id)) this.#ends.delete(id);
    const checked = invites.map(invite => this.#checked(invite));
    this.#invites.set(shareItems(this.invites, checked));
    for (const id of senders) {
      if (this.#senders.has(id)) continue;
      let isFirst = true;
      const update = () => {
        if (!isFirst) this.#update();
        isFirst = false;
      };
      this.#senders.set(id, people.user$(id).subscribe(update));
    }
    this.#subscribe();
    const lefts = this.invites.filter(({ isValid }) => isValid).map(({ id }) => this.#leftMs(id));
    if (lefts.length === 0) this.#alarm.cancel();
    else this.#alarm.set(momentIn(this.#ports.clock, Math.min(...lefts)), () => this.#update());
  }

  /** How long an invite is valid; 0 or less: it has expired. */
  #leftMs(id: MessageId): number {
    const end = this.#ends.get(id);
    return end ? leftMs(this.#ports.clock, end) : 0;
  }

  /** @returns whether it was the message of an invite */
  #withdraw(id: unknown): boolean {
    const invite = this.invites.find(one => one.id === id);
    if (!invite) return false;
    this.#withdrawn.add(invite.id);
    this.#update();
    return true;
  }

  /** Asks for what the senders do, where they are there and do not show the party: they may hide it from others. */
  #subscribe(): void {
    const { people, calls } = this.#social;
    if (!this.#isReady || people.lacks('activities.read') !== undefined) return;
    const unseen = this.invites.filter(
      ({ id, type, isValid, senderId, channelId, applicationId, partyId }) =>
        type === 'join' &&
        !isValid &&
        this.#leftMs(id) > 0 &&
        !this.#withdrawn.has(id) &&
        !this.#subscribed.has(id) &&
        people.user(senderId)?.status !== 'offline' &&
        [channelId, applicationId, partyId].every(one => one !== undefined),
    );
    if (unseen.length === 0) return;
    const subscriptions = unseen.map(({ id, senderId, channelId, applicationId, partyId }) => {
      this.#subscribed.add(id);
      const place = { application_id: applicationId, party_id: partyId, channel_id: channelId };
      return { user_id: senderId, message_id: id, ...place };
    });
    const request = { path: {}, body: { subscriptions } };
    // Without an answer the invites stay as they are shown: not valid.
    calls.send({ name: 'invites', route: 'subscribeActivities', request }, { whenOffline: 'fail' }).catch(() => {});
  }

  /** What is known of the senders, or the time, has changed. */
  #update(): void {
    const before = this.invites;
    this.#set(before);
    const changed = this.invites.filter((invite, place) => invite.isValid !== before[place]?.isValid);
    for (const invite of changed) this.#ports.news.add({ type: 'inviteUpdated', invite });
    this.#ports.news.flush();
  }

  /** The invite with its validity as of now. */
  #checked(invite: InviteSnapshot): InviteSnapshot {
    const { senderId, partyId, applicationId } = invite;
    const sender = this.#social.people.user(senderId);
    const activities = sender?.activities ?? [];
    const activity = activities.find(one => one.applicationId === applicationId && one.party?.id === partyId);
    const isJoin = invite.type === 'join';
    // The presence of users who are no friends is not shown.
    const isThere = sender?.group === undefined || (isJoin ? activity !== undefined : sender.status !== 'offline');
    const isValid = isThere && !this.#withdrawn.has(invite.id) && this.#leftMs(invite.id) > 0;
    // The sender may be in that party with another session by now.
    const sessionId = (isJoin ? activity?.sessionId : undefined) ?? invite.sessionId;
    return share(invite, Object.freeze({ ...invite, isValid, sessionId }));
  }

  #read(fields: Fields, { type, party_id, session_id }: Fields): InviteSnapshot | undefined {
    const id = fields.message_id ?? fields.id;
    const { channel_id, application_id } = fields;
    const applicationId = asRecord(fields.application)?.id ?? application_id;
    const sender = readUser(fields.author);
    if (!isSnowflake<'message'>(id) || !sender) return undefined;
    const sentAtMs = snowflakeTimeMs(id);
    const { JOIN, JOIN_REQUEST } = activityActionTypes;
    if (type !== JOIN && type !== JOIN_REQUEST) return undefined;
    return Object.freeze({
      id,
      type: type === JOIN ? ('join' as const) : ('join_request' as const),
      senderId: sender.id,
      sender,
      channelId: isSnowflake<'channel'>(channel_id) ? channel_id : undefined,
      applicationId: isSnowflake<'application'>(applicationId) ? applicationId : undefined,
      partyId: readText(party_id),
      sessionId: readText(session_id),
      content: readText(fields.content) ?? '',
      sentAtMs,
      expiresAtMs: sentAtMs + inviteLifeMs,
      isValid: true,
    });
  }

  async #post(
    name: string,
    userId: UserId,
    type: number,
    party_id: string,
    session_id: string | undefined,
    { content, ...options }: InviteOptions,
  ): Promise<void> {
    const path = { user_id: parseSnowflake<'user'>(userId, 'userId') };
    rejectIssues('The invite', checkLobbyMessage({ content }));
    const activity = { type, party_id, ...(session_id !== undefined && { session_id }) };
    const application_id = this.#social.people.applicationId;
    const body = { ...(content !== undefined && { content }), activity, application_id };
    const operation = { name, route: 'createDirectMessage', request: { path, body }, order: userId } as const;
    await this.#social.send(['activities.invites.write', 'dm_channels.messages.write'], operation, options);
  }

  #find(id: MessageId, type: InviteSnapshot['type']): InviteSnapshot {
    const invite = this.invites.find(one => one.id === id && one.type === type);
    if (invite) return invite;
    throw unknownInvite(`There is no invite ${id} of the type ${type}.`);
  }
}

// As long as the secret of a lobby may be.
const secretLengthMax = 250;

/**
 * Unspecified: an invite that would be from the future or have expired when it arrives shows that this machine's clock is wrong,
 * so it counts from its arrival.
 */
function endOf({ expiresAtMs }: InviteSnapshot, clock: Clock): Moment {
  const left = expiresAtMs - clock.now();
  return momentIn(clock, left > 0 && left <= inviteLifeMs ? left : inviteLifeMs);
}

function notJoinable(what: string): ArgumentError {
  return new ArgumentError('not_joinable', `${what}, so that nobody can join it.`);
}

function unknownInvite(message: string): ArgumentError {
  return new ArgumentError('unknown_invite', message);
}
