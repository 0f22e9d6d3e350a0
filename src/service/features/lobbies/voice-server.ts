import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import { randomToken } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';

/** A member of a call, for whom a voice server's token is issued. */
export interface VoiceSeat {
  readonly lobbyId: LobbyId;
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
  /** The gateway session. */
  readonly sessionId: string;
}

/** The voice server of calls: none, or one that the operator runs. */
export interface VoiceServer {
  /** Null: there is none. */
  readonly endpoint: string | null;
  /** Issues a new token for the voice server. */
  token(seat: VoiceSeat): Promise<string>;
}

const tokenBytes = 24;

/** Without a voice server: a random token that nothing verifies. */
export function noVoiceServer({ entropy }: Pick<Core, 'entropy'>): VoiceServer {
  return { endpoint: null, token: async () => randomToken(entropy, tokenBytes) };
}
