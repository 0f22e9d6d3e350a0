import type { LobbyVoiceState } from '../../../src/model/lobby.ts';
import type { ServiceAddresses } from '../../../src/service/index.ts';
import type { LobbyMemberRecord } from '../../../src/service/store/records.ts';

/** One who is in the call of a lobby. */
export type Participant = Pick<LobbyVoiceState, 'user_id' | 'session_id' | 'self_mute' | 'self_deaf' | 'self_video'>;

/** Who is in which call, by lobby, as the service keeps it: no client is asked. */
export async function keptCalls(service: ServiceAddresses): Promise<ReadonlyMap<string, readonly Participant[]>> {
  const headers = { authorization: `Bearer ${service.controlToken}` };
  const answer = await fetch(`${service.controlBase}/snapshot`, { headers });
  const { content } = (await answer.json()) as { content: { lobby_members: readonly LobbyMemberRecord[] } };
  const calls = new Map<string, Participant[]>();
  for (const { lobby_id, user_id, voice, voice_session_id } of content.lobby_members) {
    if (!voice || voice_session_id === null) continue;
    calls.set(lobby_id, [...(calls.get(lobby_id) ?? []), { user_id, session_id: voice_session_id, ...voice }]);
  }
  return calls;
}

/** What a voice state says that the service keeps. */
export function participant({ user_id, session_id, self_mute, self_deaf, self_video }: LobbyVoiceState): Participant {
  return { user_id, session_id, self_mute, self_deaf, self_video };
}
