import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { guildsOf, userInstalls } from '../../features/guilds/installations.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { Session } from './session.ts';

/**
 * Lets a user's session receive changes of the commands that the user may use, in the present guilds of the user.
 *
 * @param only the application of the session; a user's own client follows all
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
