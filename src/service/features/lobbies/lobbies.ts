import type { LobbyInput } from '../../../model/lobby.ts';
import { checkLobby } from '../../../model/rules/lobbies/lobby.ts';
import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import { BusError } from '../../bus/errors.ts';
import type { Core } from '../../core.ts';
import { createExpiry } from '../../expiry.ts';
import { readAtOnce } from '../../store/consistent-read.ts';
import type { Transaction } from '../../store/contract.ts';
import { StoreError } from '../../store/errors.ts';
import type { ApplicationRecord, LobbyRecord } from '../../store/records.ts';
import { rejectIssues } from '../../support/request-error.ts';
import { createWebhookEvents, type WebhookEvents } from '../webhooks/events.ts';
import { createLobbyCalls, type LobbyCalls } from './calls.ts';
import { createLobbyChanges, createLobbyQuota } from './changes.ts';
import { announceChannel } from './channel-events.ts';
import { createConnectedMembers } from './connected-members.ts';
import { createLobbyInvites, type LobbyInvites } from './invites.ts';
import { createLobbyJoin, type LobbyJoin } from './join.ts';
import { createLobbyLinks, type LobbyLinks } from './links.ts';
import { createLobbyMembers, type LobbyMembers } from './members.ts';
import { createLobbyMessages, deleteMessages, type LobbyMessages } from './messages.ts';
import { createLobbyMoves, type LobbyMoves } from './moves.ts';
import {
  connectedAt,
  editedLobby,
  firstMembers,
  idleSince,
  lobbyScope,
  looksDifferent,
  membersOf,
  newLobby,
  ownLobby,
  readEntries,
  replacedMembers,
  requireUsers,
  userIdsOf,
} from './records.ts';
import {
  announceLobby,
  announceLobbyEnd,
  announceLobbyUpdate,
  announceMemberAdd,
  announceMemberRemove,
  announceMemberUpdate,
  encodeGatewayLobby,
  showLobby,
} from './view.ts';
import { noVoiceServer, type VoiceServer } from './voice-server.ts';

/** A lobby as one of its members may see it. */
export interface PlayerLobby {
  readonly id: LobbyId;
  /** As dispatches show it, encoded as JSON. */
  readonly text: string;
  /** The scope of the lobby's announcements. */
  readonly scope: string;
  /** Announcements of the scope up to this revision are contained in `text`. */
  readonly revision: number;
}

/**
 * Lobbies, as game servers manage them and players use them. An application sees only its own lobbies: another
 * application's is as unknown as one that never existed. Answers are encoded JSON.
 *
 * Unspecified: members are always listed in the order of their ids' text, because that order costs nothing; a write
 * that changes nothing visible sends no event.
 *
 * @see docs/spec/lobbies.md#operations; docs/spec/lobbies.md#who-may-do-what
 */
export interface Lobbies {
  /** @throws RequestError `invalid_form_body`, `unknown_user` */
  create(application: ApplicationRecord, input: unknown): Promise<string>;
  /** @throws RequestError `unknown_lobby` */
  read(application: ApplicationRecord, id: LobbyId): Promise<string>;
  /** @throws RequestError `invalid_form_body`, `unknown_lobby`, `unknown_user` */
  edit(application: ApplicationRecord, id: LobbyId, input: unknown): Promise<string>;
  /** Idempotent. */
  remove(application: ApplicationRecord, id: LobbyId): Promise<void>;
  /** Deletes every lobby of the application. Its cost grows with the number of all lobbies. */
  removeAll(application: ApplicationRecord): Promise<void>;
  putMember: LobbyMembers['put'];
  updateMembers: LobbyMembers['update'];
  removeMember: LobbyMembers['remove'];
  join: LobbyJoin['join'];
  leave: LobbyJoin['leave'];
  move: LobbyMoves['move'];
  readonly messages: LobbyMessages;
  readonly links: LobbyLinks;
  readonly invites: LobbyInvites;
  readonly calls: LobbyCalls;
  /** The ids of the lobbies that the user is in with this application. */
  idsOfPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly LobbyId[]>;
  /** Every lobby the user is in with this application. */
  ofPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly PlayerLobby[]>;
  /**
   * Call it when the user's first session with the application is registered at the bus: announces it to the user's
   * lobbies.
   */
  connected(applicationId: ApplicationId, userId: UserId): Promise<void>;
  /**
   * Call it when the user's last session has left the bus: announces it to the user's lobbies, which may become idle.
   */
  disconnected(applicationId: ApplicationId, userId: UserId): Promise<void>;
  /** Starts to delete idle lobbies, those due already before this resolves; the returned function stops it. */
  start(): Promise<() => void>;
}

/** What lobbies need from other parts. */
export interface LobbiesDeps {
  /** Delivers events to the applications' servers. */
  readonly webhookEvents?: WebhookEvents;
  /** The voice server of calls. */
  readonly voiceServer?: VoiceServer;
}

export function createLobbies(
  core: Core,
  { webhookEvents = createWebhookEvents(core), voiceServer = noVoiceServer(core) }: LobbiesDeps = {},
): Lobbies {
  const { store, clock } = core;
  const expiry = createExpiry(core, 'lobbies', endIfIdle);
  const connectedMembers = createConnectedMembers(core, expiry.notice);
  const quota = createLobbyQuota(core);
  const changes = createLobbyChanges(core, connectedMembers, expiry);
  const lobbyMembers = createLobbyMembers(core, quota, changes);

  async function create(application: ApplicationRecord, input: unknown): Promise<string> {
    rejectIssues(checkLobby(input));
    const body = input as LobbyInput;
    const ids = { id: core.ids.next(), application_id: application.id };
    const empty = newLobby(ids, body, clock.now());
    const members = firstMembers(empty, body);
    const userIds = userIdsOf(members);
    await quota.takeLobby(application.id);
    const changed = await store.transact(
      lobbyScope(empty.id),
      async transaction => {
        await requireUsers(transaction, userIds);
        await quota.require(transaction, application.id, userIds, userId => memberPath(body, userId));
        return changes.open(transaction, empty, members);
      },
      quota.guards(application.id, userIds),
    );
    await changes.settle(changed);
    return JSON.stringify(showLobby(changed.lobby, members));
  }

  async function read(application: ApplicationRecord, id: LobbyId): Promise<string> {
    const { value: text } = await readAtOnce(store, lobbyScope(id), async view =>
      JSON.stringify(showLobby(await ownLobby(view, application, id), await membersOf(view, id))),
    );
    return text;
  }

  async function edit(application: ApplicationRecord, id: LobbyId, input: unknown): Promise<string> {
    rejectIssues(checkLobby(input));
    const body = input as LobbyInput;
    const { members, ...changed } = await store.transact(
      lobbyScope(id),
      transaction => editWithin(transaction, application, id, body),
      quota.guards(application.id, [...readEntries(body.members ?? []).keys()]),
    );
    await changes.settle(changed);
    return JSON.stringify(showLobby(changed.lobby, members));
  }

  async function editWithin(transaction: Transaction, application: ApplicationRecord, id: LobbyId, body: LobbyInput) {
    const before = await ownLobby(transaction, application, id);
    const { members, added, updated, removed } = replacedMembers(before, await membersOf(transaction, id), body);
    const newcomers = userIdsOf(added);
    await requireUsers(transaction, newcomers);
    await quota.require(transaction, application.id, newcomers, userId => memberPath(body, userId));
    const presence = await connectedMembers.withUsers(transaction, application.id, userIdsOf([...members, ...removed]));
    const announced = presence.connected;
    const isThere = ({ user_id }: { user_id: UserId }) => announced.has(user_id);

    let lobby = editedLobby(before, body, clock.now());
    if (members.length !== before.member_count) lobby = { ...lobby, member_count: members.length };
    if (added.some(isThere)) lobby = connectedAt(lobby, clock.now());
    else if (removed.some(isThere)) lobby = idleSince(lobby, clock.now());
    if (lobby !== before) transaction.put('lobbies', lobby);
    for (const { user_id } of removed) transaction.delete('lobby_members', id, user_id);
    for (const member of [...updated, ...added]) transaction.put('lobby_members', member);

    for (const member of removed) announceMemberRemove(transaction, member, presence);
    for (const member of updated) announceMemberUpdate(transaction, member, presence);
    for (const member of added) announceMemberAdd(transaction, member, presence);
    const changes = added.length + updated.length + removed.length;
    if (changes > 0 || looksDifferent(lobby, before)) announceLobbyUpdate(transaction, lobby, members, presence);
    announceLobby(transaction, lobby, members, presence, userIdsOf(added.filter(isThere)));
    if (lobby.link && lobby.flags !== before.flags) announceChannel(transaction, lobby.link.channel, lobby);
    return { lobby, members, added: userIdsOf(added), announced };
  }

  async function remove(application: ApplicationRecord, id: LobbyId): Promise<void> {
    await store.transact(lobbyScope(id), async transaction => {
      const lobby = await transaction.get('lobbies', id);
      if (lobby?.application_id === application.id) await end(transaction, lobby);
    });
  }

  async function removeAll(application: ApplicationRecord): Promise<void> {
    for (const { id, application_id } of await store.list('lobbies')) {
      if (application_id === application.id) await remove(application, id);
    }
  }

  async function endIfIdle(id: LobbyId, nowMs: number): Promise<void> {
    await store.transact(lobbyScope(id), async transaction => {
      const lobby = await transaction.get('lobbies', id);
      if (!lobby || lobby.expires_at_ms === null || lobby.expires_at_ms > nowMs) return;
      const there = await connectedMembers.among(lobby.application_id, userIdsOf(await membersOf(transaction, id)));
      if (there.size > 0) transaction.put('lobbies', connectedAt(lobby, nowMs));
      else if (lobby.attended) transaction.put('lobbies', idleSince(lobby, nowMs));
      else await end(transaction, lobby);
    });
  }

  async function end(transaction: Transaction, lobby: LobbyRecord): Promise<void> {
    for (const { user_id } of await membersOf(transaction, lobby.id)) {
      transaction.delete('lobby_members', lobby.id, user_id);
    }
    await deleteMessages(transaction, lobby);
    transaction.delete('lobbies', lobby.id);
    announceLobbyEnd(transaction, lobby);
    if (lobby.link) announceChannel(transaction, lobby.link.channel);
  }

  function membershipsOf(applicationId: ApplicationId, userId: UserId) {
    return store.list('lobby_members', { index: 'byUser', equals: [applicationId, userId] });
  }

  async function idsOfPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly LobbyId[]> {
    return (await membershipsOf(applicationId, userId)).map(({ lobby_id }) => lobby_id);
  }

  async function ofPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly PlayerLobby[]> {
    const memberships = await membershipsOf(applicationId, userId);
    const lobbies = await Promise.all(
      memberships.map(({ lobby_id }) => readable(lobby_id, () => seenBy(userId, lobby_id))),
    );
    return lobbies.filter(lobby => lobby !== undefined);
  }

  /** Undefined when the lobby or the membership has ended. */
  async function seenBy(userId: UserId, id: LobbyId): Promise<PlayerLobby | undefined> {
    const scope = lobbyScope(id);
    const { revision, value } = await readAtOnce(store, scope, async view => {
      const lobby = await view.get('lobbies', id);
      const members = await membersOf(view, id);
      if (!lobby || !members.some(member => member.user_id === userId)) return undefined;
      return encodeGatewayLobby(
        lobby,
        members,
        await connectedMembers.withUsers(view, lobby.application_id, userIdsOf(members)),
      );
    });
    return value === undefined ? undefined : { id, text: value, scope, revision };
  }

  async function announceToLobbies(applicationId: ApplicationId, userId: UserId): Promise<void> {
    const memberships = await membershipsOf(applicationId, userId);
    await Promise.all(
      memberships.map(({ lobby_id }) => readable(lobby_id, () => connectedMembers.announce(lobby_id, userId))),
    );
  }

  /** A lobby that cannot be read is left out: its members' sessions continue with their other lobbies. */
  async function readable<T>(id: LobbyId, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      // A failure of an engine itself concerns every lobby.
      if (error instanceof StoreError || error instanceof BusError) throw error;
      core.log.error({ error, lobby: id }, 'A lobby cannot be read; the sessions of its members continue without it.');
      return undefined;
    }
  }

  return {
    create,
    read,
    edit,
    remove,
    removeAll,
    putMember: lobbyMembers.put,
    updateMembers: lobbyMembers.update,
    removeMember: lobbyMembers.remove,
    ...createLobbyJoin(core, connectedMembers, quota, changes),
    ...createLobbyMoves(core, quota, changes),
    messages: createLobbyMessages(core, webhookEvents),
    links: createLobbyLinks(core, connectedMembers, expiry),
    invites: createLobbyInvites(core),
    calls: createLobbyCalls(core, voiceServer),
    idsOfPlayer,
    ofPlayer,
    connected: announceToLobbies,
    disconnected: announceToLobbies,
    start: expiry.start,
  };
}

/** The path at which the request names a member. */
function memberPath({ members }: LobbyInput, userId: UserId): readonly string[] {
  return ['members', String([...readEntries(members ?? []).keys()].indexOf(userId)), 'id'];
}
