import { checkUserEdit, trimUsername } from '../../../model/rules/accounts/user.ts';
import type { User, UserEdit } from '../../../model/user.ts';
import type { Core } from '../../core.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import { rejectIssues } from '../../support/request-error.ts';
import { botMember } from '../guilds/installations.ts';
import { guildIdsOf } from '../guilds/records.ts';
import { memberView } from '../guilds/view.ts';
import { changeApplication } from './application-records.ts';
import { botUserView } from './user-view.ts';

/**
 * Changes the user that represents an application's bot. Its sessions receive USER_UPDATE, the bots in its guilds
 * GUILD_MEMBER_UPDATE.
 *
 * Deviation: this service stores no pictures, so they are validated and ignored, and the answer shows none. Several
 * bots may have the same name.
 *
 * @param body {@link UserEdit}, not yet validated
 * @throws RequestError `invalid_form_body`, `unknown_application` when it was deleted meanwhile
 */
export async function editBotUser({ store }: Core, { id }: ApplicationRecord, body: unknown): Promise<User> {
  rejectIssues(checkUserEdit(body));
  const { username } = body as UserEdit;
  const fields = typeof username === 'string' ? { bot_username: trimUsername(username) } : {};
  return botUserView(await changeApplication(store, id, fields, announceChange));
}

async function announceChange(
  transaction: Transaction,
  application: ApplicationRecord,
  before: ApplicationRecord,
): Promise<void> {
  const user = botUserView(application);
  if (user.username === botUserView(before).username) return;
  const event = lazyEvent('USER_UPDATE', () => user);
  transaction.announce({ to: topics.application(application.id), event, everyShard: true });
  for (const id of await guildIdsOf(transaction, application.id)) {
    const guild = await transaction.get('guilds', id);
    if (!guild) continue;
    const member = await botMember(transaction, guild, application);
    const event = lazyEvent('GUILD_MEMBER_UPDATE', () => ({ ...memberView(member, user), guild_id: id }));
    transaction.announce({ to: topics.guild(id), event, guild: id });
  }
}
