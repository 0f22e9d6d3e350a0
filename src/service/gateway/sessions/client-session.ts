import type { Core } from '../../core.ts';
import { userView } from '../../domain/accounts/user-view.ts';
import type { UserRecord } from '../../store/records.ts';
import { followCommands } from './follow-commands.ts';
import { readyBase } from './ready.ts';
import type { Session } from './session.ts';

/** Starts the session of a user's own client, which hears of its commands: how they were answered, which there are. */
export async function startClientSession(core: Core, session: Session, user: UserRecord): Promise<void> {
  await session.follow(session.home);
  await followCommands(core, session, user.id);
  session.emit('READY', { ...readyBase(core, session), user: userView(user) });
  session.release();
}
