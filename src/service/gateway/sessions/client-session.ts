import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { channelsSeenBy } from '../../features/guilds/viewers.ts';
import type { Identity, SessionPrincipal } from '../identify.ts';
import { followCommands } from './follow-commands.ts';
import { readyBase } from './ready.ts';
import type { Session } from './session.ts';
import { readSocial, socialViewer } from './social-ready.ts';

/**
 * Starts the session of a user's own client, which receives events about commands: their answers, also to other users in
 * the channels that it sees, and changes of the available commands.
 */
export async function startClientSession(
  core: Core,
  session: Session,
  principal: Extract<SessionPrincipal, { kind: 'session' }>,
  identity: Identity,
): Promise<void> {
  const { user } = principal;
  await session.follow(session.home);
  await followCommands(core, session, user.id);
  for (const channel of await channelsSeenBy(core.store, user.id)) await session.follow(topics.channel(channel));
  const social = await readSocial(core, session, socialViewer(principal), identity);
  session.emit('READY', { ...readyBase(core, session), ...social.ready });
  if (social.ready.users) session.emit('READY_SUPPLEMENTAL', social.supplemental);
  session.release();
}
