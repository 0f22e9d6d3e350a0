import type { ApplicationId, ChannelId, GuildId, RoleId, Snowflake, UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { putOverwrites } from '../features/commands/overwrites.ts';
import { commandsScope } from '../features/commands/records.ts';
import { announceNewBotToken, guildIdsOf, guildScope, putGuild } from '../features/guilds/records.ts';
import { deleteChannel, deleteGuild, deleteMember, deleteRole } from '../features/guilds/removal.ts';
import type { Lobbies } from '../features/lobbies/lobbies.ts';
import { userScope } from '../features/oauth/provisional/user.ts';
import type { DirectMessages } from '../features/social/messages/messages.ts';
import { socialScope } from '../features/social/pair.ts';
import type { HeadlessSessions } from '../features/social/presence/headless.ts';
import { presenceScope } from '../features/social/presence/records.ts';
import type { RelationshipMoves } from '../features/social/relationships/moves.ts';
import type { Transaction } from '../store/contract.ts';
import { type ApplicationRecord, commandScope, type GuildRecord, type UserRecord } from '../store/records.ts';

/**
 * Deletes users, applications, guilds and parts of guilds with everything that belongs to them; everybody concerned is notified as
 * when the same happens by itself: members leave lobbies, friends lose a friend, bots lose a guild.
 *
 * A deletion takes several transactions. It can be repeated when it failed in between, because the record itself is deleted last.
 */
export interface Removal {
  /** @throws RemovalError when it does not exist, owns an application or a guild */
  user(id: UserId): Promise<void>;
  /** @throws RemovalError when it does not exist, or has child applications */
  application(id: ApplicationId): Promise<void>;
  /** @throws RemovalError when it does not exist */
  guild(id: GuildId): Promise<void>;
  /** @throws RemovalError when it does not exist, or is the role of everyone */
  role(guildId: GuildId, id: RoleId): Promise<void>;
  /** @throws RemovalError when it does not exist */
  channel(guildId: GuildId, id: ChannelId): Promise<void>;
  /** @throws RemovalError when it does not exist, or is the owner or the bot of an application in the guild */
  member(guildId: GuildId, id: UserId): Promise<void>;
}

/** Thrown when something cannot be deleted; the message says what to do. */
export class RemovalError extends Error {
  readonly reason: 'unknown' | 'in_use';

  constructor(reason: RemovalError['reason'], message: string) {
    super(message);
    this.name = 'RemovalError';
    this.reason = reason;
  }
}

export interface RemovalParts {
  readonly lobbies: Pick<Lobbies, 'removeMember' | 'removeAll'> & { readonly links: Pick<Lobbies['links'], 'release'> };
  readonly relationships: Pick<RelationshipMoves, 'endAll' | 'removeAll'>;
  readonly messages: Pick<DirectMessages, 'endAll'>;
  readonly headless: Pick<HeadlessSessions, 'endAll'>;
  readonly authorizations: {
    endCredentials(transaction: Transaction, user: UserRecord): Promise<void>;
    deleteEndedCredentials(userId: UserId): Promise<void>;
    endAuthorization(id: Snowflake): Promise<boolean>;
    endApplicationTokens(applicationId: ApplicationId): Promise<void>;
  };
}

/** How many records of an owner's things are named in a message. */
const namedMax = 5;

export function createRemoval(
  core: Pick<Core, 'store' | 'clock'>,
  { lobbies, relationships, messages, headless, authorizations }: RemovalParts,
): Removal {
  const { store } = core;

  async function known<Found>(what: string, id: string, found: Promise<Found | undefined> | Found | undefined) {
    const record = await found;
    if (record === undefined) throw new RemovalError('unknown', `There is no ${what} ${id}.`);
    return record;
  }

  async function rejectOwner(userId: UserId): Promise<void> {
    const owned = [
      ...(await store.list('applications')).filter(one => one.owner_id === userId).map(({ id }) => `application ${id}`),
      ...(await guildsOf(userId)).filter(one => one.owner_id === userId).map(({ id }) => `guild ${id}`),
    ];
    if (owned.length === 0) return;
    const more = owned.length > namedMax ? ` and ${owned.length - namedMax} more` : '';
    const named = owned.slice(0, namedMax).join(', ') + more;
    throw new RemovalError('in_use', `The user ${userId} owns ${named}: give it another owner, or delete it, first.`);
  }

  async function guildsOf(userId: UserId): Promise<GuildRecord[]> {
    const places = await store.list('guild_members', { index: 'byUser', equals: [userId] });
    const guilds = await Promise.all(places.map(({ guild_id }) => store.get('guilds', guild_id)));
    return guilds.filter(guild => guild !== undefined);
  }

  /** Nobody can act as the user from now on. */
  async function lock(user: UserRecord): Promise<void> {
    await store.transact(userScope(user.id), async transaction => {
      const present = await transaction.get('users', user.id);
      if (present) await authorizations.endCredentials(transaction, { ...present, banned: true });
    });
    await authorizations.deleteEndedCredentials(user.id);
  }

  async function leaveLobbies(userId: UserId): Promise<void> {
    for (const application of await store.list('applications')) {
      const query = { index: 'byUser', equals: [application.id, userId] } as const;
      for (const { lobby_id } of await store.list('lobby_members', query)) {
        await lobbies.removeMember(application, lobby_id, userId);
      }
    }
  }

  async function endUser(user: UserRecord): Promise<void> {
    const { id } = user;
    await lock(user);
    await leaveLobbies(id);
    for (const guild of await guildsOf(id)) await leaveGuild(guild.id, id);
    await headless.endAll(id);
    await messages.endAll(id);
    await relationships.endAll(id);
    await store.transact(userScope(id), transaction => forget(transaction, id), [socialScope(id), presenceScope(id)]);
    // What others have begun meanwhile.
    await messages.endAll(id);
    await relationships.endAll(id);
    await store.transact(socialScope(id), transaction => transaction.delete('relationship_totals', id));
  }

  async function forget(transaction: Transaction, id: UserId): Promise<void> {
    transaction.delete('users', id);
    transaction.delete('passwords', id);
    transaction.delete('social_settings', id);
    transaction.delete('social_presences', id);
    transaction.delete('presences', id);
    transaction.delete('status_expiries', id);
    for (const { application_id } of await transaction.list('former_authorizations', { equals: [id] })) {
      transaction.delete('former_authorizations', id, application_id);
    }
    for (const { application_id, hash } of await transaction.list('external_identities', {
      ...{ index: 'byUser', equals: [id] },
    })) {
      transaction.delete('external_identities', application_id, hash);
    }
    // Those that the user's applications wrote by their own tokens belong to no authorization.
    for (const application of await transaction.list('applications')) {
      transaction.delete('role_connections', application.id, id);
    }
    for (const { code, user_id } of await transaction.list('lobby_invites')) {
      if (user_id === id) transaction.delete('lobby_invites', code);
    }
  }

  async function leaveGuild(guildId: GuildId, userId: UserId): Promise<void> {
    await store.transact(guildScope(guildId), async transaction => {
      const guild = await transaction.get('guilds', guildId);
      const member = await transaction.get('guild_members', guildId, userId);
      if (guild && member) await deleteMember(transaction, guild, member);
    });
    await dropFromCommands(guildId, new Set([userId]));
  }

  /** Overwrites of commands forget what they name. @param gone ids of roles, users or channels */
  async function dropFromCommands(guildId: GuildId, gone: ReadonlySet<string>): Promise<void> {
    const records = await store.list('command_overwrites', { equals: [guildId] });
    const concerned = records.filter(({ permissions }) => permissions.some(({ id }) => gone.has(id)));
    for (const { application_id, target_id } of concerned) {
      await store.transact(commandsScope({ id: application_id }, { guildId }), async transaction => {
        const record = await transaction.get('command_overwrites', guildId, application_id, target_id);
        if (!record) return;
        putOverwrites(transaction, { ...record, permissions: record.permissions.filter(({ id }) => !gone.has(id)) });
      });
    }
  }

  /** The commands of an application, everywhere or in one guild, with what was set for them. */
  async function dropCommands(id: ApplicationId, guildId?: GuildId): Promise<void> {
    const place = guildId === undefined ? {} : { guildId };
    await store.transact(commandsScope({ id }, place), async transaction => {
      const scope = commandScope(id, guildId);
      for (const command of await transaction.list('commands', { index: 'byScope', equals: [scope] })) {
        transaction.delete('commands', command.id);
        const query = { index: 'byTarget', equals: [command.id] } as const;
        for (const record of await transaction.list('command_overwrites', query)) {
          transaction.delete('command_overwrites', record.guild_id, record.application_id, record.target_id);
        }
      }
      transaction.delete('command_quotas', scope);
      if (guildId === undefined) return;
      for (const { target_id } of await transaction.list('command_overwrites', { equals: [guildId, id] })) {
        transaction.delete('command_overwrites', guildId, id, target_id);
      }
    });
  }

  async function uninstall(application: ApplicationRecord, guildId: GuildId): Promise<void> {
    await store.transact(guildScope(guildId), async transaction => {
      const guild = await transaction.get('guilds', guildId);
      if (!guild) return;
      transaction.delete('guild_members', guildId, application.id as Snowflake as UserId);
      const applications = guild.applications.filter(id => id !== application.id);
      await putGuild(transaction, guild, { ...guild, applications });
    });
    await dropCommands(application.id, guildId);
  }

  async function endApplication(application: ApplicationRecord): Promise<void> {
    const { id } = application;
    await store.transact(`application/${id}`, async transaction => {
      const present = await transaction.get('applications', id);
      // Without credentials nobody can act as it from now on.
      const locked = { bot_token_hash: null, client_secret_hash: null, public_client: false };
      if (present) transaction.put('applications', { ...present, ...locked });
      announceNewBotToken(transaction, id);
    });
    await lobbies.removeAll(application);
    const granted = await store.list('authorizations', { index: 'byApplication', equals: [id] });
    for (const grant of granted) await authorizations.endAuthorization(grant.id);
    await authorizations.endApplicationTokens(id);
    for (const user of await provisionalUsers(id)) await endUser(user);
    await relationships.removeAll(id);
    for (const guildId of await guildIdsOf(store, id)) await uninstall(application, guildId);
    await dropCommands(id);
    await store.transact(`application/${id}`, async transaction => {
      const former = await transaction.list('former_authorizations', { index: 'byApplication', equals: [id] });
      for (const { user_id } of former) transaction.delete('former_authorizations', user_id, id);
      transaction.delete('applications', id);
    });
  }

  async function provisionalUsers(id: ApplicationId): Promise<UserRecord[]> {
    const identities = await store.list('external_identities', { equals: [id] });
    const ids = [...new Set(identities.map(({ user_id }) => user_id))];
    const users = await Promise.all(ids.map(userId => store.get('users', userId)));
    return users.filter(user => user !== undefined).filter(user => user.provisional_of === id);
  }

  async function change<Result>(
    guildId: GuildId,
    work: (transaction: Transaction, guild: GuildRecord) => Promise<Result>,
    guards: readonly string[] = [],
  ): Promise<Result> {
    return store.transact(
      guildScope(guildId),
      async transaction => work(transaction, await known('guild', guildId, transaction.get('guilds', guildId))),
      guards,
    );
  }

  return {
    async user(id) {
      const user = await known('user', id, store.get('users', id));
      await rejectOwner(id);
      await endUser(user);
    },

    async application(id) {
      const application = await known('application', id, store.get('applications', id));
      const [child] = await store.list('applications', { index: 'byParent', equals: [id], limit: 1 });
      if (child) {
        const message = `The application ${id} is the parent of ${child.id}: give that another parent, or delete it, first.`;
        throw new RemovalError('in_use', message);
      }
      await endApplication(application);
    },

    async guild(id) {
      const { applications } = await known('guild', id, store.get('guilds', id));
      for (const application of applications) await dropCommands(application, id);
      await change(id, deleteGuild);
      await lobbies.links.release(id);
    },

    async role(guildId, id) {
      if ((id as string) === guildId)
        throw new RemovalError('in_use', 'Every guild has the role of everyone; it cannot be deleted.');
      await change(guildId, async (transaction, guild) => {
        await known(
          'role',
          id,
          guild.roles.find(role => role.id === id),
        );
        await deleteRole(transaction, guild, id);
      });
      await dropFromCommands(guildId, new Set([id]));
    },

    async channel(guildId, id) {
      const gone = await change(
        guildId,
        async (transaction, guild) => {
          await known(
            'channel',
            id,
            guild.channels.find(channel => channel.id === id),
          );
          return deleteChannel(transaction, guild, id);
        },
        // No lobby is linked to it at the same time.
        [`channel/${id}`],
      );
      for (const channelId of gone) await lobbies.links.release(guildId, channelId);
      await dropFromCommands(guildId, new Set(gone));
    },

    async member(guildId, id) {
      const guild = await known('guild', guildId, store.get('guilds', guildId));
      await known('member', id, store.get('guild_members', guildId, id));
      if (guild.owner_id === id) {
        throw new RemovalError('in_use', `The user ${id} owns the guild ${guildId}: give it another owner first.`);
      }
      await leaveGuild(guildId, id);
    },
  };
}
