import { hash } from 'node:crypto';
import { integrationTypes, interactionContexts } from '../../../model/command.ts';
import type { CommandIndex } from '../../../model/command-index.ts';
import type { Locale } from '../../../model/locale.ts';
import { inPicker, isInstalledBy, isOfferedIn } from '../../../model/rules/commands/offered.ts';
import { memberPlace, type PlaceMember } from '../../../model/rules/permissions/member-place.ts';
import { permit } from '../../../model/rules/permissions/permit.ts';
import type { ApplicationId, ChannelId, GuildId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { ApplicationRecord, CommandRecord, GuildRecord, UserRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';
import { botUserView } from '../accounts/user-view.ts';
import { guildsOf, isUserInstalled, sharesGuild, userInstalls } from '../guilds/installations.ts';
import { guildOverwrites } from './overwrites.ts';
import { commandsOf, everywhere } from './records.ts';
import { showCommand } from './view.ts';

/** The reader of a command index. */
export interface IndexReader {
  readonly user: UserRecord;
  /** The locale in which the commands are shown; without one, their defaults. */
  readonly locale: Locale | undefined;
  /** Only this application's commands are shown, because the reader's token belongs to it. */
  readonly application?: ApplicationRecord;
}

/** The commands that a user may use, by place. */
export interface CommandIndexes {
  /**
   * In the direct messages with the application's bot.
   *
   * @throws RequestError `unknown_application`, `missing_access` when the user neither shares a guild with it nor
   *   installed it
   */
  ofApplication(reader: IndexReader, applicationId: ApplicationId): Promise<CommandIndex>;
  /** In a channel of one of the user's guilds, or of the user and another one. @throws RequestError `unknown_channel` for any other */
  ofChannel(reader: IndexReader, channelId: ChannelId): Promise<CommandIndex>;
  /**
   * In a guild, without the overwrites of its channels.
   *
   * @throws RequestError `unknown_guild`, `missing_access` when the user is not a member
   */
  ofGuild(reader: IndexReader, guildId: GuildId): Promise<CommandIndex>;
  /** Everywhere, for the applications that the user has installed for itself. */
  ofUser(reader: IndexReader): Promise<CommandIndex>;
}

/** An application's commands that the reader may use. */
interface Found {
  readonly application: ApplicationRecord;
  readonly commands: readonly CommandRecord[];
}

const { GUILD_INSTALL, USER_INSTALL } = integrationTypes;
const { GUILD, BOT_DM, PRIVATE_CHANNEL } = interactionContexts;

export function createCommandIndexes({ store }: Core): CommandIndexes {
  async function inGuild(reader: IndexReader, guild: GuildRecord, channelId?: ChannelId): Promise<CommandIndex> {
    const member = await memberOf(guild, reader.user);
    const installed = await userInstalls(store, reader.user.id);
    const ids = reader.application ? [reader.application.id] : [...new Set([...guild.applications, ...installed])];
    const found: Found[] = [];
    for (const id of ids) {
      const application = await store.get('applications', id);
      if (!application) continue;
      const here = { guild, member, channelId, isUserInstalled: installed.has(id) };
      found.push({ application, commands: await usableInGuild(application, here) });
    }
    return viewOf(found, reader);
  }

  async function memberOf({ id }: GuildRecord, user: UserRecord): Promise<PlaceMember> {
    const member = await store.get('guild_members', id, user.id);
    if (!member) throw new RequestError('missing_access');
    return { user_id: user.id, roles: member.roles, adult: user.adult };
  }

  async function usableInGuild(
    application: ApplicationRecord,
    here: { guild: GuildRecord; member: PlaceMember; channelId: ChannelId | undefined; isUserInstalled: boolean },
  ): Promise<readonly CommandRecord[]> {
    const { guild, member, channelId } = here;
    const place = memberPlace(guild, member, channelId);
    if (!place) throw new RequestError('unknown_channel');
    const isInGuild = guild.applications.includes(application.id);
    const own = isInGuild ? await commandsOf(store, application, { guildId: guild.id }) : [];
    const overwritesFor = await guildOverwrites(store, guild.id, application.id);
    return [...(await commandsOf(store, application, everywhere)), ...own].filter(command => {
      const isInstalled =
        (isInGuild && isInstalledBy(command, GUILD_INSTALL)) ||
        (here.isUserInstalled && isInstalledBy(command, USER_INSTALL));
      if (!isInstalled || !isOfferedIn(command, GUILD)) return false;
      return permit({ command, place, overwrites: overwritesFor(command.id) }).allowed;
    });
  }

  async function ofInstalled(reader: IndexReader, isOffered: (command: CommandRecord) => boolean) {
    const found: Found[] = [];
    for (const id of await userInstalls(store, reader.user.id)) {
      const application = await store.get('applications', id);
      if (!application || (reader.application && reader.application.id !== id)) continue;
      const commands = (await commandsOf(store, application, everywhere)).filter(
        command => isInstalledBy(command, USER_INSTALL) && isOffered(command) && isOfAge(command, reader.user),
      );
      found.push({ application, commands });
    }
    return viewOf(found, reader);
  }

  return {
    async ofApplication(reader, applicationId) {
      const application = await store.get('applications', applicationId);
      if (!application) throw new RequestError('unknown_application');
      const isInstalled = await isUserInstalled(store, applicationId, reader.user.id);
      const isShared = await sharesGuild(store, applicationId, reader.user.id);
      if (!isInstalled && !isShared) throw new RequestError('missing_access');
      const commands = (await commandsOf(store, application, everywhere)).filter(command => {
        const isOpen =
          (isShared && isInstalledBy(command, GUILD_INSTALL)) || (isInstalled && isInstalledBy(command, USER_INSTALL));
        return isOpen && isOfferedIn(command, BOT_DM) && isOfAge(command, reader.user);
      });
      return viewOf([{ application, commands }], reader);
    },

    async ofChannel(reader, channelId) {
      const guilds = await guildsOf(store, reader.user.id);
      const guild = guilds.find(({ channels }) => channels.some(({ id }) => id === channelId));
      if (guild) return inGuild(reader, guild, channelId);
      const channel = await store.get('direct_channels', channelId);
      if (!channel?.user_ids.includes(reader.user.id)) throw new RequestError('unknown_channel');
      return ofInstalled(reader, command => isOfferedIn(command, PRIVATE_CHANNEL));
    },

    async ofGuild(reader, guildId) {
      const guild = await store.get('guilds', guildId);
      if (!guild) throw new RequestError('unknown_guild');
      return inGuild(reader, guild);
    },

    ofUser(reader) {
      return ofInstalled(reader, () => true);
    },
  };
}

function isOfAge({ nsfw }: CommandRecord, { adult }: UserRecord): boolean {
  return adult || !nsfw;
}

function viewOf(found: readonly Found[], { locale }: IndexReader): CommandIndex {
  const withCommands = found
    .map(({ application, commands }) => ({
      application,
      commands: commands.map(inPicker).filter(command => command !== undefined),
    }))
    .filter(({ commands }) => commands.length > 0);
  const index = {
    applications: withCommands.map(({ application }) => ({
      id: application.id,
      name: application.name,
      icon: null,
      description: application.description,
      bot: botUserView(application),
    })),
    application_commands: withCommands.flatMap(({ commands }) =>
      commands.map(command => showCommand(command, { locale })),
    ),
  };
  return { ...index, version: versionOf(index) };
}

/** A number in the form of an id, computed from the content: the same content gives the same number. */
function versionOf(index: object): string {
  return (BigInt(`0x${hash('sha256', JSON.stringify(index)).slice(0, 16)}`) >> 1n).toString();
}
