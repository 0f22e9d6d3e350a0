import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import { randomToken } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';

/** Who wants to be let in by a voice server, and to which call. */
export interface VoiceSeat {
  readonly lobbyId: LobbyId;
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
  /** Of the gateway. */
  readonly sessionId: string;
}

/** Where calls are heard: nowhere, or on a server of the operator's, which is none of this service's. */
export interface VoiceServer {
  /** Null: there is none. */
  readonly endpoint: string | null;
  /** A new token by which one is let in. */
  token(seat: VoiceSeat): Promise<string>;
}

const tokenBytes = 24;

/** There is no voice server: a token that nobody asks for, of random text. */
export function noVoiceServer({ entropy }: Pick<Core, 'entropy'>): VoiceServer {
  return { endpoint: null, token: async () => randomToken(entropy, tokenBytes) };
}
