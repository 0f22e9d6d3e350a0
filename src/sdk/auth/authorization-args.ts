import type { IntegrationType } from '../../model/command.ts';
import { ArgumentError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { defaultCommunicationScopes } from '../../model/oauth.ts';
import { type AuthorizationArgsFields, checkAuthorizationArgs } from './authorization-fields.ts';
import type { AuthorizationCodeChallenge } from './code-verifier.ts';

/**
 * What a game asks of the player when it calls {@link Client.authorize}: a value with a getter and a chainable setter
 * for each field. Setting a field to undefined unsets it. Setters take any value; {@link check} judges.
 *
 * @see docs/spec/client.md#authorization-arguments
 * @example
 * const { challenge, verifier } = createAuthorizationCodeVerifier();
 * const args = new AuthorizationArgs().setScopes(getDefaultPresenceScopes()).setCodeChallenge(challenge);
 */
export class AuthorizationArgs {
  // Undefined once the value was moved elsewhere.
  #fields: AuthorizationArgsFields | undefined;

  /** Copies another value (an invalid one gives an invalid copy), or takes the fields given. */
  constructor(from: AuthorizationArgs | AuthorizationArgsFields = {}) {
    this.#fields = AuthorizationArgs.#copy(from);
  }

  /** Decimal text. */
  get clientId(): string | undefined {
    return this.#fields?.clientId?.toString();
  }

  get scopes(): string {
    return this.#fields?.scopes ?? defaultCommunicationScopes;
  }

  get state(): string | undefined {
    return this.#fields?.state;
  }

  get nonce(): string | undefined {
    return this.#fields?.nonce;
  }

  get codeChallenge(): AuthorizationCodeChallenge | undefined {
    return this.#fields?.codeChallenge;
  }

  get integrationType(): IntegrationType | undefined {
    return this.#fields?.integrationType;
  }

  get customSchemeParam(): string | undefined {
    return this.#fields?.customSchemeParam;
  }

  setClientId(clientId: bigint | string | undefined): this {
    return this.#set({ clientId });
  }

  setScopes(scopes: string | undefined): this {
    return this.#set({ scopes });
  }

  setState(state: string | undefined): this {
    return this.#set({ state });
  }

  setNonce(nonce: string | undefined): this {
    return this.#set({ nonce });
  }

  setCodeChallenge(codeChallenge: AuthorizationCodeChallenge | undefined): this {
    return this.#set({ codeChallenge });
  }

  setIntegrationType(integrationType: IntegrationType | undefined): this {
    return this.#set({ integrationType });
  }

  setCustomSchemeParam(customSchemeParam: string | undefined): this {
    return this.#set({ customSchemeParam });
  }

  /** Takes over every field of another value, the unset ones too; makes this value valid again if that one is. */
  assign(from: AuthorizationArgs | AuthorizationArgsFields): this {
    this.#fields = AuthorizationArgs.#copy(from);
    return this;
  }

  /** Hands the fields over to a new value; this one is invalid until something is assigned to it. */
  move(): AuthorizationArgs {
    const moved = new AuthorizationArgs(this);
    this.#fields = undefined;
    return moved;
  }

  /** Every fault of every field, named by its getter; an empty path when the value was moved elsewhere. */
  check(): Issue[] {
    return checkAuthorizationArgs(this.#fields);
  }

  /** Whether {@link check} finds nothing. */
  get isValid(): boolean {
    return this.check().length === 0;
  }

  #set(field: AuthorizationArgsFields): this {
    if (!this.#fields) throw new ArgumentError('moved_arguments', 'These AuthorizationArgs were moved; assign first.');
    this.#fields = copyOf({ ...this.#fields, ...field });
    return this;
  }

  // The fields of another value are never changed, only replaced: they can be shared.
  static #copy(from: AuthorizationArgs | AuthorizationArgsFields): AuthorizationArgsFields | undefined {
    return from instanceof AuthorizationArgs ? from.#fields : copyOf(from);
  }
}

/** Apart from whatever the caller does to its own objects later. */
function copyOf(fields: AuthorizationArgsFields): AuthorizationArgsFields {
  const { codeChallenge } = fields;
  return typeof codeChallenge === 'object' && codeChallenge !== null
    ? { ...fields, codeChallenge: Object.freeze({ ...codeChallenge }) }
    : { ...fields };
}
