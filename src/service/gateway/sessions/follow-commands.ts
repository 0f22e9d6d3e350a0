import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { guildsOf, userInstalls } from '../../domain/guilds/installations.ts';
import { topics } from '../../events/announcement.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { Session } from './session.ts';

/**
 * Has a user's session hear when the commands that the user may use change, in the guilds it is in by now.
 *
 * @param only the application that the session is of; a user's own client follows all
 */
export async function followCommands(
  { store }: Core,
  session: Session,
  userId: UserId,
  only?: Pick<ApplicationRecord, 'id'>,
): Promise<void> {
  const ids = new Set(only ? [only.id] : await userInstalls(store, userId));
  for (const guild of await guildsOf(store, userId)) {
    for (const id of only ? guild.applications.filter(one => one === only.id) : guild.applications) {
      ids.add(id);
      await session.follow(topics.guildCommands(id, guild.id));
    }
  }
  for (const id of ids) await session.follow(topics.commands(id));
}
