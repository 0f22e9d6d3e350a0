import type { CommandOverwrite, GuildCommandPermissions } from '../../../model/overwrite.ts';
import type { OverwriteLayers } from '../../../model/rules/permissions/permit.ts';
import type { ApplicationId, CommandId, GuildId, Snowflake } from '../../../model/snowflake.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { CommandOverwritesRecord } from '../../store/records.ts';

/** The records of command overwrites: reading them, and what changes with them. */

const none: readonly CommandOverwrite[] = [];

/** The overwrites that apply to a command in a guild. */
export async function overwriteLayers(
  view: StoreView,
  guildId: GuildId,
  { id, application_id }: Pick<CommandOverwritesRecord, 'application_id'> & { readonly id: Snowflake },
): Promise<OverwriteLayers> {
  const own = await view.get('command_overwrites', guildId, application_id, id);
  const shared = await view.get('command_overwrites', guildId, application_id, application_id);
  return { command: own?.permissions ?? none, application: shared?.permissions ?? none };
}

/** A guild's overwrites of an application, by command. */
export async function guildOverwrites(
  view: StoreView,
  guildId: GuildId,
  applicationId: ApplicationId,
): Promise<(commandId: CommandId) => OverwriteLayers> {
  const records = await view.list('command_overwrites', { equals: [guildId, applicationId] });
  const byTarget = new Map(records.map(({ target_id, permissions }) => [target_id as string, permissions]));
  const application = byTarget.get(applicationId) ?? none;
  return commandId => ({ command: byTarget.get(commandId) ?? none, application });
}

/** Stores the overwrites, or deletes them when the list is empty, and announces the change. */
export function putOverwrites(transaction: Transaction, record: CommandOverwritesRecord): void {
  const { guild_id, application_id, target_id, permissions } = record;
  if (permissions.length > 0) transaction.put('command_overwrites', record);
  else transaction.delete('command_overwrites', guild_id, application_id, target_id);
  announceOverwrites(transaction, record);
}

/**
 * Deletes a command's overwrites in every guild, because it was renamed or deleted.
 *
 * Unspecified: this is announced like an edit to an empty list, because otherwise copies of them would stay.
 *
 * @see docs/spec/permissions.md#overwrite
 */
export async function dropOverwrites(transaction: Transaction, id: CommandId): Promise<void> {
  const records = await transaction.list('command_overwrites', { index: 'byTarget', equals: [id] });
  for (const record of records) putOverwrites(transaction, { ...record, permissions: [] });
}

/**
 * Notifies the application's bots, and the guild's members in their own clients and in the application's games.
 *
 * @see docs/spec/permissions.md#event
 */
function announceOverwrites(transaction: Transaction, record: CommandOverwritesRecord): void {
  const { application_id, guild_id: guild } = record;
  const event = {
    name: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE',
    data: JSON.stringify(overwritesView(record)),
  } as const;
  transaction.announce({ to: topics.application(application_id), event, guild });
  transaction.announce({ to: topics.guildCommands(application_id, guild), event, guild });
}

export function overwritesView(record: CommandOverwritesRecord): GuildCommandPermissions {
  const { target_id, application_id, guild_id, permissions } = record;
  return { id: target_id, application_id, guild_id, permissions };
}
