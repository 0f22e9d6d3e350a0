import { type Channel, permissionBits } from '../../../model/guild.ts';
import { type LobbyLinkInput, lobbyMemberFlags } from '../../../model/lobby.ts';
import { checkLobbyLink } from '../../../model/rules/lobbies/lobby-join.ts';
import { memberPermissions } from '../../../model/rules/permissions/member-place.ts';
import type { ChannelId, GuildId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { Expiry } from '../../expiry.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyMemberRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { requireFullAccount } from '../accounts/full-account.ts';
import { canBeLinked, channelView } from '../guilds/view.ts';
import { announceChannel, announceInChannel } from './channel-events.ts';
import type { ConnectedMembers } from './connected-members.ts';
import { linkedNote } from './message-view.ts';
import { linkedLobbies, lobbyScope, membersOf, ownLobby, readId, requireMember, restarted } from './records.ts';
import { showLobby } from './view.ts';

/**
 * The guild channels that lobbies share their conversation with: one channel for a lobby, one lobby for a channel. A
 * linked lobby does not end by itself.
 *
 * Unspecified: a lobby shows its channel as it was when linked; linking it again updates it.
 *
 * @see docs/spec/lobbies.md#link-a-channel
 */
export interface LobbyLinks {
  /**
   * Links the named channel, replacing a linked one, or unlinks when none is named. Unlinking is idempotent. The
   * answer is the lobby as encoded JSON.
   *
   * @throws RequestError `invalid_form_body`, `unknown_lobby`, `not_a_lobby_member`, `lobby_link_refused`,
   *   `invalid_user_type`, and for linking `unknown_channel` (also in a guild the user is not in), `missing_access`,
   *   `missing_permissions`, `channel_not_linkable`, `channel_already_linked`
   */
  set(application: ApplicationRecord, user: UserRecord, id: LobbyId, input: unknown): Promise<string>;
  /** Unlinks the lobbies of channels that exist no longer: of one, or of all of a guild. */
  release(guildId: GuildId, channelId?: ChannelId): Promise<void>;
}

// The permissions that the user needs in the channel, besides seeing it.
const linkPermissions = permissionBits.MANAGE_CHANNELS | permissionBits.SEND_MESSAGES;

export function createLobbyLinks(core: Core, connectedMembers: ConnectedMembers, expiry: Expiry): LobbyLinks {
  const { store, clock, ids } = core;

  async function set(application: ApplicationRecord, user: UserRecord, id: LobbyId, input: unknown): Promise<string> {
    rejectIssues(checkLobbyLink(input));
    const channelId = readChannelId(input);
    const { lobby, members } = await store.transact(
      lobbyScope(id),
      async transaction => {
        const before = await ownLobby(transaction, application, id);
        rejectUnlessAllowed(await requireMember(transaction, id, user.id));
        requireFullAccount(user);
        const lobby =
          channelId === undefined ? unlinked(before) : await linked(transaction, before, user.id, channelId);
        const members = await membersOf(transaction, id);
        if (lobby !== before) await save(transaction, before, lobby, members, user);
        return { lobby, members };
      },
      channelId === undefined ? [] : [`channel/${channelId}`],
    );
    expiry.notice(lobby.expires_at_ms);
    return JSON.stringify(showLobby(lobby, members));
  }

  function unlinked(lobby: LobbyRecord): LobbyRecord {
    if (!lobby.link) return lobby;
    return restarted({ ...lobby, linked_guild_id: null, linked_channel_id: null, link: null }, clock.now());
  }

  async function linked(view: StoreView, lobby: LobbyRecord, by: UserId, channelId: ChannelId): Promise<LobbyRecord> {
    if (lobby.secret_hash !== null) throw new RequestError('lobby_link_refused', { message: madeByClient });
    const channel = await findLinkable(view, by, channelId);
    const place = { linked_guild_id: channel.guild_id, linked_channel_id: channel.id };
    const [holder] = await linkedLobbies(view, channel.guild_id, channel.id);
    if (holder && holder.id !== lobby.id) throw new RequestError('channel_already_linked');
    return restarted({ ...lobby, ...place, link: { by, at_ms: clock.now(), channel } }, clock.now());
  }

  async function save(
    transaction: Transaction,
    before: LobbyRecord,
    lobby: LobbyRecord,
    members: readonly LobbyMemberRecord[],
    user: UserRecord,
  ): Promise<void> {
    transaction.put('lobbies', lobby);
    await connectedMembers.announceUpdate(transaction, lobby, members);
    const isSameChannel = before.linked_channel_id === lobby.linked_channel_id;
    if (before.link && !isSameChannel) announceChannel(transaction, before.link.channel);
    if (!lobby.link) return;
    announceChannel(transaction, lobby.link.channel, lobby);
    if (!isSameChannel) announceInChannel(transaction, linkedNote(ids.next(), lobby, user, lobby.link.channel));
  }

  async function release(...place: readonly [guild: GuildId, channel?: ChannelId]): Promise<void> {
    for (const { id } of await linkedLobbies(store, ...place)) {
      const expiresAtMs = await store.transact(lobbyScope(id), async transaction => {
        const before = await transaction.get('lobbies', id);
        const [guildId, channelId = before?.linked_channel_id] = place;
        if (!before?.link || before.linked_guild_id !== guildId || before.linked_channel_id !== channelId) return null;
        const lobby = unlinked(before);
        transaction.put('lobbies', lobby);
        await connectedMembers.announceUpdate(transaction, lobby, await membersOf(transaction, id));
        return lobby.expires_at_ms;
      });
      expiry.notice(expiresAtMs);
    }
  }

  return { set, release };
}

const madeByClient = 'A lobby that was made with a secret cannot be linked to a channel';

function readChannelId(input: unknown): ChannelId | undefined {
  const { channel_id } = (input ?? {}) as LobbyLinkInput;
  return channel_id === undefined || channel_id === null ? undefined : readId(channel_id);
}

function rejectUnlessAllowed({ flags }: LobbyMemberRecord): void {
  if ((flags & lobbyMemberFlags.CanLinkLobby) === 0) throw new RequestError('lobby_link_refused');
}

/** Unspecified: a channel in a guild that the user is not in is as unknown as one that does not exist. */
async function findLinkable(view: StoreView, userId: UserId, channelId: ChannelId): Promise<Channel> {
  for (const member of await view.list('guild_members', { index: 'byUser', equals: [userId] })) {
    const guild = await view.get('guilds', member.guild_id);
    const channel = guild?.channels.find(({ id }) => id === channelId);
    if (!guild || !channel) continue;
    const permissions = memberPermissions(guild, member, channel);
    if ((permissions & permissionBits.VIEW_CHANNEL) === 0n) throw new RequestError('missing_access');
    if ((permissions & linkPermissions) !== linkPermissions) throw new RequestError('missing_permissions');
    if (!canBeLinked(channel)) throw new RequestError('channel_not_linkable');
    return channelView(channel, guild);
  }
  throw new RequestError('unknown_channel');
}
