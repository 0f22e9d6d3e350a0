import { ArgumentError, RallypointError } from '../../model/errors/errors.ts';
import type { Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { codeChallengeOf } from '../../wire/oauth/pkce.ts';
import { codeChallengeMethod } from '../../wire/oauth/pkce-form.ts';
import { AuthorizationArgs } from '../auth/authorization-args.ts';
import { type AuthorizationGrant, createState, redirectWayOf } from '../auth/authorizer.ts';
import type { TokenSet } from '../auth/token-set.ts';
import type { RequestOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { Keychain } from '../keychain/keychain.ts';
import type { SignInOptions } from './credentials.ts';

export interface SignInPorts {
  readonly client: Pick<Client, 'authorize' | 'createAuthorizationCodeVerifier' | 'getToken'>;
  readonly pending: PendingSignIn;
  readonly entropy: Entropy;
  /** Aborts when the credentials are closed. The next process can then finish the sign-in. */
  readonly closing: AbortSignal;
}

/**
 * Asks the player, and exchanges the code for tokens. A custom-scheme redirect can arrive after this process has ended, so
 * the keychain holds what is needed to finish the sign-in. It is written first: a keychain that cannot be written fails the
 * call before a page is shown.
 */
export async function signIn(
  { client, pending, entropy, closing }: SignInPorts,
  given: AuthorizationArgs,
  options: SignInOptions,
): Promise<TokenSet> {
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  const args = new AuthorizationArgs(given).setCodeChallenge(challenge);
  const state = args.state ?? createState(entropy);
  const { clientId, nonce, customSchemeParam } = args;
  const canOutliveProcess = redirectWayOf(args, options) === 'custom-scheme';
  if (canOutliveProcess) await pending.write({ state, verifier, clientId, nonce, customSchemeParam });
  try {
    const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing;
    const grant = await client.authorize(args.setState(state), { ...options, signal });
    return await client.getToken({ ...grant, verifier }, { signal });
  } finally {
    if (canOutliveProcess && !closing.aborted) await pending.remove(state);
  }
}

/**
 * Finishes the sign-in that an earlier process began, with the redirect that it was waiting for. Works once per sign-in. A
 * redirect that belongs to something else changes nothing.
 *
 * @throws ArgumentError `foreign_redirect`
 */
export async function continueSignIn(
  { client, pending }: Omit<SignInPorts, 'entropy' | 'closing'>,
  answer: string,
  { signal }: RequestOptions,
): Promise<TokenSet> {
  const request = await pending.read();
  if (!request) {
    throw new ArgumentError(
      'foreign_redirect',
      'answer belongs to no sign-in of the last 10 minutes. Start a new sign-in with signIn().',
    );
  }
  let grant: AuthorizationGrant;
  try {
    grant = await client.authorize(argumentsOf(request), { redirect: 'custom-scheme', answer });
  } catch (error) {
    if (!(error instanceof ArgumentError)) await pending.remove(request.state);
    throw error;
  }
  await pending.remove(request.state);
  return client.getToken({ ...grant, verifier: request.verifier }, { signal });
}

function argumentsOf({ verifier, ...fields }: SignInRequest): AuthorizationArgs {
  const challenge = { method: codeChallengeMethod, challenge: codeChallengeOf(verifier) } as const;
  return new AuthorizationArgs({ ...fields, codeChallenge: challenge });
}

/** What is needed to finish a sign-in when its redirect arrives. */
export interface SignInRequest {
  readonly state: string;
  /** Secret. */
  readonly verifier: string;
  readonly clientId?: string | undefined;
  readonly nonce?: string | undefined;
  readonly customSchemeParam?: string | undefined;
}

/** Unspecified: how long a sign-in can be finished after it was begun. Ten minutes leave time to sign up in the browser. */
export const pendingSignInLifeMs = 10 * 60_000;

export interface PendingSignInParts {
  readonly keychain: Keychain;
  /** The keychain's entry; not the one of the credential. */
  readonly account: string;
  readonly applicationId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The latest sign-in that was begun, in the keychain: another process can finish it if this one ends first. */
export class PendingSignIn {
  readonly #parts: PendingSignInParts;

  constructor(parts: PendingSignInParts) {
    this.#parts = parts;
  }

  /** Replaces a sign-in that was begun before. @throws KeychainError */
  async write(request: SignInRequest): Promise<void> {
    const { keychain, account, applicationId, clock } = this.#parts;
    await keychain.set(account, JSON.stringify({ format, applicationId, beganAtMs: clock.now(), ...request }));
  }

  /** Returns undefined when no sign-in was begun within {@link pendingSignInLifeMs}. @throws KeychainError */
  async read(): Promise<SignInRequest | undefined> {
    const stored = await this.#readStored();
    return stored && this.#parts.clock.now() - stored.beganAtMs < pendingSignInLifeMs ? stored.request : undefined;
  }

  /** Removes the sign-in, unless another window has begun one since. A keychain that fails to delete it is logged. */
  async remove(state: string): Promise<void> {
    const { keychain, account, logger } = this.#parts;
    try {
      const stored = await this.#readStored();
      if (stored?.request.state === state) await keychain.delete(account);
    } catch (error) {
      const code = error instanceof RallypointError ? error.code : 'unknown';
      logger.warn({ code }, 'a finished sign-in could not be deleted from the keychain');
    }
  }

  async #readStored(): Promise<{ beganAtMs: number; request: SignInRequest } | undefined> {
    const { keychain, account, applicationId } = this.#parts;
    const fields = asRecord(parseJson((await keychain.get(account)) ?? ''));
    if (fields?.format !== format || fields.applicationId !== applicationId) return undefined;
    const { beganAtMs, state, verifier, clientId, nonce, customSchemeParam } = fields;
    if (typeof beganAtMs !== 'number' || typeof state !== 'string' || typeof verifier !== 'string') return undefined;
    const request = {
      state,
      verifier,
      clientId: text(clientId),
      nonce: text(nonce),
      customSchemeParam: text(customSchemeParam),
    };
    return { beganAtMs, request };
  }
}

// Raised when an older version of this package could not read what a newer one writes.
const format = 1;

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
