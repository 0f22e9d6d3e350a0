import { limits } from '../../../model/limits/limits.ts';
import type { LobbyInvite } from '../../../model/lobby.ts';
import type { LobbyId, UserId } from '../../../model/snowflake.ts';
import { formatTimestamp } from '../../../model/timestamp.ts';
import type { User } from '../../../model/user.ts';
import { randomToken } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import { countInvites, createOwnedBound } from '../../owned-bound.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyInviteRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { requireFullAccount } from '../accounts/full-account.ts';
import { botUserView, userView } from '../accounts/user-view.ts';
import { lobbyScope, ownLobby, requireMember } from './records.ts';

/**
 * Invites to the guild of a lobby's linked channel: each for one user, once, for `limits.lobbyInviteLifeMs`. Nothing
 * in this interface accepts them: the guild's own client does.
 *
 * @see docs/spec/lobbies.md#invites
 */
export interface LobbyInvites {
  /** @throws RequestError `unknown_lobby`, `not_a_lobby_member`, `lobby_not_linked`, `already_in_guild`, `invalid_user_type`,
   *   `too_many_invites` */
  createOwn(application: ApplicationRecord, user: UserRecord, id: LobbyId): Promise<LobbyInvite>;
  /**
   * Unspecified: the user need not be a member of the lobby, because no source requires it.
   *
   * @throws RequestError `unknown_lobby`, `unknown_user`, `lobby_not_linked`, `already_in_guild`, `invalid_user_type`,
   *   `too_many_invites`
   */
  createFor(application: ApplicationRecord, userId: UserId, id: LobbyId): Promise<LobbyInvite>;
}

/** More randomness than anybody could guess within the hour. */
const codeBytes = 9;

/** Each new invite deletes at most this many expired ones: more than one, so that they do not accumulate. */
const sweptPerInvite = 4;

export function createLobbyInvites(core: Core): LobbyInvites {
  const { store, clock, entropy } = core;
  const { lobbyInvitesPerApplicationMax } = serviceLimits;
  const take = createOwnedBound(core, 'lobby_invites', lobbyInvitesPerApplicationMax, (view, id) =>
    countInvites(view, id, clock.now()),
  );

  /** Counts a new invite. @throws RequestError `too_many_invites` */
  async function takeInvite({ id }: ApplicationRecord): Promise<void> {
    if (!(await take(id))) throw new RequestError('too_many_invites');
  }

  async function inviteWithin(transaction: Transaction, lobby: LobbyRecord, user: UserRecord, inviter: User) {
    requireFullAccount(user);
    if (!lobby.link) throw new RequestError('lobby_not_linked');
    const { id: channelId, guild_id: guildId } = lobby.link.channel;
    if (await transaction.get('guild_members', guildId, user.id)) throw new RequestError('already_in_guild');
    const nowMs = clock.now();
    const invite: LobbyInviteRecord = {
      code: randomToken(entropy, codeBytes),
      application_id: lobby.application_id,
      guild_id: guildId,
      channel_id: channelId,
      user_id: user.id,
      expires_at_ms: nowMs + limits.lobbyInviteLifeMs,
    };
    transaction.put('lobby_invites', invite);
    await sweep(transaction, nowMs);
    announceInvite(transaction, invite, userView(user), inviter);
    return { code: invite.code };
  }

  async function sweep(transaction: Transaction, nowMs: number): Promise<void> {
    const outlived = { index: 'byExpiry', upTo: nowMs, limit: sweptPerInvite } as const;
    for (const { code } of await transaction.list('lobby_invites', outlived)) transaction.delete('lobby_invites', code);
  }

  return {
    async createOwn(application, user, id) {
      await takeInvite(application);
      return store.transact(lobbyScope(id), async transaction => {
        const lobby = await ownLobby(transaction, application, id);
        await requireMember(transaction, id, user.id);
        return inviteWithin(transaction, lobby, user, userView(user));
      });
    },

    async createFor(application, userId, id) {
      await takeInvite(application);
      return store.transact(lobbyScope(id), async transaction => {
        const lobby = await ownLobby(transaction, application, id);
        const user = await transaction.get('users', userId);
        if (!user) throw new RequestError('unknown_user');
        return inviteWithin(transaction, lobby, user, botUserView(application));
      });
    },
  };
}

function announceInvite(transaction: Transaction, invite: LobbyInviteRecord, target: User, inviter: User): void {
  const { code, guild_id, channel_id, expires_at_ms } = invite;
  const event = lazyEvent('INVITE_CREATE', () => ({
    code,
    guild_id,
    channel_id,
    inviter,
    target_user: target,
    created_at: formatTimestamp(expires_at_ms - limits.lobbyInviteLifeMs),
    max_age: limits.lobbyInviteLifeMs / 1000,
    max_uses: 1,
    uses: 0,
    temporary: false,
  }));
  transaction.announce({ to: topics.guild(guild_id), event, guild: guild_id });
}
