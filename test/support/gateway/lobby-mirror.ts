import { type GatewayFrame, opcodes } from '../../../src/model/gateway.ts';
import type { GatewayLobby, GatewayLobbyMember, LobbyVoiceState } from '../../../src/model/lobby.ts';

/**
 * What a client knows of its lobbies; throws when it is told something twice, out of order, or something it cannot
 * place. Edits that count themselves (`metadata.edits`) must come without a gap; whoever is removed has left the call before.
 */
export class LobbyMirror {
  readonly lobbies = new Map<string, GatewayLobby>();
  #sequence = 0;

  /** Number of the last dispatch. */
  get sequence(): number {
    return this.#sequence;
  }

  take({ op, t, s, d }: GatewayFrame): void {
    if (op !== opcodes.DISPATCH) return;
    if (s !== ++this.#sequence) throw new Error(`number ${s} after ${this.#sequence - 1}`);
    if (t !== 'READY' && !t?.startsWith('LOBBY_')) return;
    const data = d as GatewayLobby & { lobby_id: string; member: GatewayLobbyMember; lobbies?: GatewayLobby[] };
    const known = this.lobbies.get(
      t?.startsWith('LOBBY_MEMBER') || t?.startsWith('LOBBY_VOICE') ? data.lobby_id : data.id,
    );
    if ((t === 'LOBBY_CREATE') !== (known === undefined) && t !== 'READY') {
      throw new Error(`${t} ${known ? 'of a known' : 'of an unknown'} lobby`);
    }
    if (t === 'LOBBY_UPDATE' && known) checkEdits(known, data);
    if (t === 'READY') for (const lobby of data.lobbies ?? []) this.lobbies.set(lobby.id, lobby);
    else if (t === 'LOBBY_CREATE' || t === 'LOBBY_UPDATE') this.lobbies.set(data.id, data);
    else if (t === 'LOBBY_DELETE') this.lobbies.delete(data.id);
    else if (t === 'LOBBY_VOICE_STATE_UPDATE' && known)
      this.lobbies.set(known.id, withVoice(known, d as LobbyVoiceState));
    else if (t === 'LOBBY_VOICE_SERVER_UPDATE') return;
    else if (known) this.lobbies.set(known.id, this.#withMember(known, t ?? '', data.member));
  }

  #withMember(lobby: GatewayLobby, event: string, member: GatewayLobbyMember): GatewayLobby {
    const others = lobby.members.filter(({ user_id }) => user_id !== member.user_id);
    const isKnown = others.length < lobby.members.length;
    if (isKnown === (event === 'LOBBY_MEMBER_ADD')) throw new Error(`${event} of ${member.user_id} twice or too early`);
    const isGone = event === 'LOBBY_MEMBER_REMOVE';
    if (isGone && lobby.voice_states.some(({ user_id }) => user_id === member.user_id)) {
      throw new Error(`${member.user_id} was removed while in the call`);
    }
    const members = isGone ? others : [...others, member];
    return { ...lobby, members: members.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)) };
  }
}

function withVoice(lobby: GatewayLobby, state: LobbyVoiceState): GatewayLobby {
  const others = lobby.voice_states.filter(({ user_id }) => user_id !== state.user_id);
  const isIn = state.channel_id !== null;
  if (!lobby.members.some(({ user_id }) => user_id === state.user_id)) throw new Error('a call with a stranger in it');
  if (!isIn && others.length === lobby.voice_states.length) throw new Error(`${state.user_id} left a call twice`);
  const voice_states = (isIn ? [...others, state] : others).toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1));
  return { ...lobby, voice_states };
}

function checkEdits({ metadata: before }: GatewayLobby, { metadata: after }: GatewayLobby): void {
  if (before?.edits === undefined || after?.edits === undefined) return;
  if (Number(after.edits) !== Number(before.edits) + 1) throw new Error(`edit ${after.edits} after ${before.edits}`);
}
