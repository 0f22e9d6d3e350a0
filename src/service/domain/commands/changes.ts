import { topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, CommandRecord } from '../../store/records.ts';
import { dropOverwrites } from './overwrites.ts';
import type { CommandPlace } from './records.ts';

/**
 * Stores what commands of a place become. One that is gone, or has another name, loses its overwrites; users hear when
 * anything changed at all.
 *
 * @param before some commands of the place
 * @param after what becomes of them, by id, and new ones; the same record where a command stays as it is
 */
export async function changeCommands(
  transaction: Transaction,
  application: ApplicationRecord,
  place: CommandPlace,
  before: readonly CommandRecord[],
  after: readonly CommandRecord[],
): Promise<void> {
  const byId = new Map(after.map(command => [command.id, command]));
  for (const { id, name } of before) {
    const command = byId.get(id);
    if (command?.name !== name) await dropOverwrites(transaction, id);
    if (!command) transaction.delete('commands', id);
  }
  const known = new Set(before);
  const written = after.filter(command => !known.has(command));
  for (const command of written) transaction.put('commands', command);
  const isChanged = written.length > 0 || after.length < before.length;
  if (isChanged) announceChange(transaction, application, place);
}

function announceChange(transaction: Transaction, { id }: ApplicationRecord, { guildId }: CommandPlace): void {
  transaction.announce({
    to: guildId === undefined ? topics.commands(id) : topics.guildCommands(id, guildId),
    event: {
      name: 'APPLICATION_COMMAND_INDEX_UPDATE',
      data: JSON.stringify({ application_id: id, ...(guildId !== undefined && { guild_id: guildId }) }),
    },
  });
}
