import { capabilities, type PlayerReady, type Ready } from '../../../model/gateway.ts';
import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import { countValues, frameValuesMax } from '../../../wire/gateway/frames.ts';
import type { Core } from '../../core.ts';
import { topics, topicsIn } from '../../events/announcement.ts';
import type { LobbyCalls } from '../../features/lobbies/calls.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Identity, SessionPrincipal } from '../identify.ts';
import type { PlayerWatch } from '../presence/connected-users.ts';
import { introducePresence, isPresence } from '../presence/social-presences.ts';
import { followCommands } from './follow-commands.ts';
import { readyBase, readyGame } from './ready.ts';
import type { Session } from './session.ts';
import { readSocial, socialViewer } from './social-ready.ts';

/** A lobby as it was at `revision` of `scope`. */
export interface LobbyReading {
  readonly id: LobbyId;
  /** As dispatches show it, encoded as JSON. */
  readonly text: string;
  readonly scope: string;
  readonly revision: number;
}

/** What the gateway needs of the lobbies. */
export interface PlayerLobbies extends PlayerWatch {
  /** The ids of the lobbies that the user is a member of. */
  idsOfPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly LobbyId[]>;
  /** Every lobby that the user is a member of, with its newest committed state. */
  ofPlayer(applicationId: ApplicationId, userId: UserId): Promise<readonly LobbyReading[]>;
  readonly calls: LobbyCalls;
}

/**
 * Starts a player's session: READY with the lobbies in it, and then LOBBY_CREATE for each that does not fit or, without the capability
 * AUTO_LOBBY_CONNECT, for all of them.
 *
 * @see docs/spec/gateway.md#players-sessions
 */
export async function startPlayerSession(
  core: Core,
  lobbies: PlayerLobbies,
  session: Session,
  principal: Extract<SessionPrincipal, { kind: 'user' }>,
  identity: Identity,
): Promise<void> {
  const { application, user, token } = principal;
  await session.follow(session.home);
  const readings = await followLobbies(session, lobbies, application.id, user.id);
  await followCommands(core, session, user.id, application);
  const social = await readSocial(core, session, socialViewer(principal), identity);
  const inReady = (identity.capabilities & capabilities.AUTO_LOBBY_CONNECT) !== 0;
  const ready: PlayerReady & Ready = {
    ...readyBase(core, session),
    application: readyGame(application),
    ...playerReady,
    ...social.ready,
    scopes: token.scopes,
  };
  const text = JSON.stringify(ready);
  const shown = inReady ? fitting(text, readings) : [];
  const lobbiesText = shown.map(reading => reading.text).join(',');
  session.emitText('READY', inReady ? `${text.slice(0, -1)},"lobbies":[${lobbiesText}]}` : text);
  session.emit('READY_SUPPLEMENTAL', social.supplemental);
  for (const { text: lobby } of readings.slice(shown.length)) session.emitText('LOBBY_CREATE', lobby);
  for (const { scope, revision } of readings) session.saw(scope, revision);
  session.release();
}

/** Fields that players' gateway clients read and this interface does not have. */
const playerReady = {
  session_type: 'oauth',
  feature_flags: { disabled_functions: [], disabled_gateway_events: [] },
} as const satisfies Omit<PlayerReady, 'scopes' | 'user_application_profiles'> & Partial<Ready>;

/** The first lobbies that fit into READY beside its other text, so that clients of this package accept the frame. */
function fitting(text: string, readings: readonly LobbyReading[]): readonly LobbyReading[] {
  let bytes = Buffer.byteLength(text);
  let values = countValues(text);
  const end = readings.findIndex(({ text: lobby }) => {
    bytes += Buffer.byteLength(lobby) + 1;
    values += countValues(lobby) + 1;
    return bytes > serviceLimits.readyWithLobbiesBytesMax || values > frameValuesMax;
  });
  return end < 0 ? readings : readings.slice(0, end);
}

/**
 * Reads the lobbies until all of them were followed before they were read, so that no later event of theirs can be
 * missed.
 */
async function followLobbies(
  session: Session,
  lobbies: PlayerLobbies,
  ...player: readonly [ApplicationId, UserId]
): Promise<readonly LobbyReading[]> {
  for (const id of await lobbies.idsOfPlayer(...player)) await session.follow(topics.lobby(id));
  for (;;) {
    const readings = await lobbies.ofPlayer(...player);
    const found = new Set(readings.map(({ id }) => topics.lobby(id)));
    const missing = [...found].filter(topic => !session.following.has(topic));
    if (missing.length === 0 || session.hasEnded) {
      for (const topic of session.following) if (topic !== session.home && !found.has(topic)) session.unfollow(topic);
      return readings;
    }
    for (const topic of missing) await session.follow(topic);
  }
}

/** Sends a player a lobby late, in its present state; a lobby that was deleted meanwhile is not sent at all. */
function introduceLobbies(lobbies: PlayerLobbies): NonNullable<Session['introduce']> {
  return async (session, { to, scope, follow }) => {
    if (to !== session.home) return; // A session that follows another topic late receives its state by other means.
    const { application_id, user_id } = session.record;
    const readings = await lobbies.ofPlayer(application_id ?? '', user_id);
    const reading = readings.find(candidate => candidate.scope === scope);
    if (reading) {
      session.emitText('LOBBY_CREATE', reading.text);
      session.saw(scope, reading.revision);
    } else for (const topic of topicsIn(follow)) session.unfollow(topic);
  };
}

/** Sends a player's session, or a user's own client, what it follows late; of anything else only the event. */
export function introduceOf(core: Core, lobbies: PlayerLobbies): NonNullable<Session['introduce']> {
  const introduceLobby = introduceLobbies(lobbies);
  return async (session, announced) => {
    const { event, follow } = announced;
    const presences = topicsIn(follow).filter(isPresence);
    for (const topic of presences) await introducePresence(core, session, topic);
    if (presences.length > 0) return;
    if (session.record.kind === 'user') await introduceLobby(session, announced);
    else if (event) session.emitText(event.name, event.data);
  };
}
