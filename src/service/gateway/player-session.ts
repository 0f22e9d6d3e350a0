import { capabilities, type PlayerReady } from '../../model/gateway.ts';
import type { GatewayLobby } from '../../model/lobby.ts';
import type { ApplicationId, UserId } from '../../model/snowflake.ts';
import { topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import type { LobbyCalls } from '../domain/lobby-calls.ts';
import { userView } from '../domain/user-view.ts';
import type { PlayerWatch } from './attendance.ts';
import { followCommands } from './follow-commands.ts';
import type { Identity, SessionPrincipal } from './identify.ts';
import { readyApplication, readyBase } from './ready.ts';
import type { Session } from './session.ts';

/** A lobby as it was at `revision` of `scope`. */
export interface LobbyReading {
  readonly lobby: GatewayLobby;
  readonly scope: string;
  readonly revision: number;
}

/** What the gateway needs of the lobbies. */
export interface PlayerLobbies extends PlayerWatch {
  /** Every lobby that the user is a member of, with its newest committed state. */
  ofPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly LobbyReading[]>;
  readonly calls: LobbyCalls;
}

/**
 * Starts the session of a player: READY with the lobbies in it or, without the capability AUTO_LOBBY_CONNECT, READY and
 * then LOBBY_CREATE for each.
 *
 * @see gateway.md 9.3
 */
export async function startPlayerSession(
  core: Core,
  lobbies: PlayerLobbies,
  session: Session,
  { application, user, token }: Extract<SessionPrincipal, { kind: 'user' }>,
  identity: Identity,
): Promise<void> {
  const read = () => lobbies.ofPlayer(application.id, user.id);
  await session.follow(session.home);
  const readings = await followLobbies(session, read);
  await followCommands(core, session, user.id, application);
  const inReady = (identity.capabilities & capabilities.AUTO_LOBBY_CONNECT) !== 0;
  session.emit('READY', {
    ...readyBase(core, session),
    user: userView(user),
    application: readyApplication(application),
    ...playerReady,
    scopes: token.scopes,
    ...(inReady && { lobbies: readings.map(({ lobby }) => lobby) }),
  });
  for (const { lobby, scope, revision } of readings) {
    if (!inReady) session.emit('LOBBY_CREATE', lobby);
    session.saw(scope, revision);
  }
  session.release();
}

/** What gateway clients of players look for and this interface does not have. */
const playerReady = {
  feature_flags: { disabled_functions: [], disabled_gateway_events: [] },
  user_application_profiles: {},
} as const satisfies Omit<PlayerReady, 'scopes'>;

/** Reads the lobbies until all that were read had been followed before: then no later event of theirs can be missed. */
async function followLobbies(
  session: Session,
  read: () => Promise<readonly LobbyReading[]>,
): Promise<readonly LobbyReading[]> {
  for (;;) {
    const readings = await read();
    const found = new Set(readings.map(({ lobby }) => topics.lobby(lobby.id)));
    const missing = [...found].filter(topic => !session.following.has(topic));
    if (missing.length === 0 || session.hasEnded) {
      for (const topic of session.following) if (topic !== session.home && !found.has(topic)) session.unfollow(topic);
      return readings;
    }
    for (const topic of missing) await session.follow(topic);
  }
}

/** Tells a player of a lobby late, as it is by now; it may be gone again, and then was never there. */
export function introduceLobbies(lobbies: PlayerLobbies): NonNullable<Session['introduce']> {
  return async (session, { scope, follow }) => {
    const { application_id, user_id } = session.record;
    const readings = await lobbies.ofPlayer(application_id ?? '', user_id);
    const reading = readings.find(candidate => candidate.scope === scope);
    if (reading) {
      session.emit('LOBBY_CREATE', reading.lobby);
      session.saw(scope, reading.revision);
    } else if (follow !== undefined) session.unfollow(follow);
  };
}
