import { ArgumentError } from '../../model/errors/errors.ts';
import type { Entropy } from '../../wire/clock/ports.ts';
import { codeChallengeMethod, codeChallengeOf } from '../../wire/pkce.ts';
import { AuthorizationArgs } from '../auth/authorization-args.ts';
import { type AuthorizationGrant, createState, redirectWayOf } from '../auth/authorizer.ts';
import type { TokenSet } from '../auth/token-set.ts';
import type { RequestOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { BegunSignIn, BegunSignIns } from './begun-sign-in.ts';
import type { SignInOptions } from './credentials.ts';

export interface AskPorts {
  readonly client: Pick<Client, 'authorize' | 'createAuthorizationCodeVerifier' | 'getToken'>;
  readonly begun: BegunSignIns;
  readonly entropy: Entropy;
  /** The process is ending: what is on its way may go on in the next one. */
  readonly closing: AbortSignal;
}

/**
 * Asks the player, and exchanges the code. An answer by the custom scheme finds the game again even when it has ended: a
 * note of what was asked is in the keychain meanwhile. A keychain that does not take it is found before the player is
 * bothered.
 */
export async function askPlayer(
  { client, begun, entropy, closing }: AskPorts,
  given: AuthorizationArgs,
  options: SignInOptions,
): Promise<TokenSet> {
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  const args = new AuthorizationArgs(given).setCodeChallenge(challenge);
  const state = args.state ?? createState(entropy);
  const { clientId, nonce, customSchemeParam } = args;
  const outlivesUs = redirectWayOf(args, options) === 'custom-scheme';
  if (outlivesUs) await begun.keep({ state, verifier, clientId, nonce, customSchemeParam });
  try {
    const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing;
    const grant = await client.authorize(args.setState(state), { ...options, signal });
    return await client.getToken({ ...grant, verifier }, { signal });
  } finally {
    if (outlivesUs && !closing.aborted) await begun.forget(state);
  }
}

/**
 * Goes on with what an earlier process asked, now that its answer is here. That happens once; an answer to something else
 * changes nothing.
 *
 * @throws ArgumentError `foreign_redirect`
 */
export async function takeAnswer(
  { client, begun }: Omit<AskPorts, 'entropy' | 'closing'>,
  answer: string,
  { signal }: RequestOptions,
): Promise<TokenSet> {
  const asked = await begun.find();
  if (!asked) throw new ArgumentError('foreign_redirect', 'The redirect does not belong to a recent authorization.');
  let grant: AuthorizationGrant;
  try {
    grant = await client.authorize(argumentsOf(asked), { redirect: 'custom-scheme', answer });
  } catch (error) {
    if (!(error instanceof ArgumentError)) await begun.forget(asked.state);
    throw error;
  }
  await begun.forget(asked.state);
  return client.getToken({ ...grant, verifier: asked.verifier }, { signal });
}

function argumentsOf({ verifier, ...fields }: BegunSignIn): AuthorizationArgs {
  const challenge = { method: codeChallengeMethod, challenge: codeChallengeOf(verifier) } as const;
  return new AuthorizationArgs({ ...fields, codeChallenge: challenge });
}
