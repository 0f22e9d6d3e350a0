import { randomToken } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import type { VoiceSeat, VoiceServer } from '../../domain/lobbies/voice-server.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { loadJose, type SigningKeys, signingAlgorithm } from './signing-keys.ts';

/** Audience and type of voice tokens, so that no verifier of ID tokens accepts one. */
export const voiceAudience = 'lobby-voice';
export const voiceTokenType = 'voice+jwt';

const tokenIdBytes = 16;

/**
 * Signs tokens for the voice server that an operator runs. Unspecified: they are JWTs signed by the key of the ID
 * tokens, so that a voice server needs nothing but `GET /oauth2/keys` to verify them. `sub` is the user, `lobby_id`
 * the call, and `session_id` the session that both events name. They are valid for `serviceLimits.voiceTokenLifeMs`;
 * op 42 requests another.
 */
export function openVoiceServer(
  core: Core,
  keys: SigningKeys,
  pendingWork: PendingWork,
  endpoint: string,
): VoiceServer {
  async function sign({ lobbyId, applicationId, userId, sessionId }: VoiceSeat): Promise<string> {
    const { kid, key } = await keys.signer();
    const { SignJWT } = await loadJose();
    const nowSeconds = Math.floor(core.clock.now() / 1000);
    return new SignJWT({ application_id: applicationId, lobby_id: lobbyId, session_id: sessionId })
      .setProtectedHeader({ alg: signingAlgorithm, kid, typ: voiceTokenType })
      .setIssuer(core.addresses.web)
      .setAudience(voiceAudience)
      .setSubject(userId)
      .setJti(randomToken(core.entropy, tokenIdBytes))
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + serviceLimits.voiceTokenLifeMs / 1000)
      .sign(key);
  }

  return { endpoint, token: seat => pendingWork.runAside(() => sign(seat)) };
}
