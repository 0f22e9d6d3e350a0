import type { IntegrationType } from '../../model/command.ts';
import { ArgumentError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { defaultCommunicationScopes, defaultPresenceScopes } from '../../model/oauth.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import { requireType } from '../../wire/arguments.ts';
import { unsetHint } from '../../wire/environment-variables.ts';
import { type AuthorizationArgsFields, checkAuthorizationArgs } from '../../wire/oauth/authorization-fields.ts';
import type { AuthorizationCodeChallenge } from '../../wire/oauth/pkce-form.ts';

/**
 * The arguments of {@link Client.authorize}, with a getter and a chainable setter for each field. Setting a field to undefined
 * unsets it. Setters accept any value; {@link check} reports what is wrong.
 *
 * @see docs/spec/client.md#authorization-arguments
 * @example
 * const { challenge, verifier } = createAuthorizationCodeVerifier();
 * const args = new AuthorizationArgs().setScopes(getDefaultPresenceScopes()).setCodeChallenge(challenge);
 */
export class AuthorizationArgs {
  static {
    recognizeCopies(this, 'AuthorizationArgs');
  }

  // Undefined after move().
  #fields: AuthorizationArgsFields | undefined;

  /**
   * Copies another value (an invalid one results in an invalid copy), or uses the given fields.
   *
   * @throws ArgumentError `invalid_argument` for null and other values that are no objects
   */
  constructor(from: AuthorizationArgs | AuthorizationArgsFields = {}) {
    this.#fields = AuthorizationArgs.#copy(from);
  }

  /** As decimal text. */
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

  /**
   * Copies every field of another value, including unset ones. After {@link move} this value can be used again.
   *
   * @throws as the constructor
   */
  assign(from: AuthorizationArgs | AuthorizationArgsFields): this {
    this.#fields = AuthorizationArgs.#copy(from);
    return this;
  }

  /** Moves the fields to a new value. This one is invalid until {@link assign} is called. */
  move(): AuthorizationArgs {
    const moved = new AuthorizationArgs(this);
    this.#fields = undefined;
    return moved;
  }

  /** All problems of all fields. Each path names the getter; it is empty when the fields were moved away. */
  check(): Issue[] {
    return checkAuthorizationArgs(this.#fields);
  }

  /** Whether {@link check} finds nothing. */
  get isValid(): boolean {
    return this.check().length === 0;
  }

  #set(field: AuthorizationArgsFields): this {
    if (!this.#fields)
      throw new ArgumentError(
        'moved_arguments',
        'The fields of these AuthorizationArgs were moved to another object. Call assign() before setting one.',
      );
    this.#fields = copyOf({ ...this.#fields, ...field });
    return this;
  }

  // Fields objects are never changed, only replaced, so they can be shared.
  static #copy(from: AuthorizationArgs | AuthorizationArgsFields): AuthorizationArgsFields | undefined {
    if (from instanceof AuthorizationArgs) return #fields in from ? from.#fields : AuthorizationArgs.#fieldsOf(from);
    requireType('The arguments', from, 'object');
    return copyOf(from);
  }

  /** The fields of an object that another copy of this package made. */
  static #fieldsOf(other: AuthorizationArgs): AuthorizationArgsFields | undefined {
    if (other.check().some(({ path }) => path.length === 0)) return undefined; // moved away
    const { clientId, scopes, state, nonce, codeChallenge, integrationType, customSchemeParam } = other;
    return copyOf({ clientId, scopes, state, nonce, codeChallenge, integrationType, customSchemeParam });
  }
}

/** A copy that later changes to the caller's objects do not affect. */
function copyOf(fields: AuthorizationArgsFields): AuthorizationArgsFields {
  const { codeChallenge } = fields;
  return typeof codeChallenge === 'object' && codeChallenge !== null
    ? { ...fields, codeChallenge: Object.freeze({ ...codeChallenge }) }
    : { ...fields };
}

/**
 * The application that a player signs in to: the one of the arguments, or else the client's.
 *
 * @throws ArgumentError `missing_application_id`
 */
export function clientIdOf({ clientId }: AuthorizationArgs, applicationId: string | undefined): string {
  const id = clientId ?? applicationId;
  if (id !== undefined) return id;
  throw new ArgumentError(
    'missing_application_id',
    `applicationId is missing: pass it to new Client(), or set clientId in the arguments. ${unsetHint('applicationId')}`,
  );
}

/** Returns `openid sdk.social_layer_presence`: enough for presence. @see docs/spec/client.md#authorization-arguments */
export function getDefaultPresenceScopes(): string {
  return defaultPresenceScopes;
}

/** Returns `openid sdk.social_layer`: enough for lobbies and chat too. @see docs/spec/client.md#authorization-arguments */
export function getDefaultCommunicationScopes(): string {
  return defaultCommunicationScopes;
}
