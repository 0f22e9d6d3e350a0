import type { TokenResponse } from '../../model/oauth.ts';
import type { UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { createWebhookEvents } from '../domain/webhook-events.ts';
import { createAuthorizationEvents } from './authorization-events.ts';
import { findAuthorization } from './authorization-records.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { authenticateClient } from './client-authentication.ts';
import { type Decision, decide } from './decision.ts';
import { type DeviceAuthorization, startDevice } from './device-code.ts';
import {
  type DeviceDecision,
  type DeviceRequest,
  decideDevice,
  findDevice,
  type TypedCode,
} from './device-decision.ts';
import { startSweeping } from './expiry.ts';
import type { Form } from './form.ts';
import { createGuesses } from './guesses.ts';
import { createIdTokens } from './id-token.ts';
import { type Judgement, judge } from './judgement.ts';
import { revoke } from './revocation.ts';
import { isGranted } from './scope-rules.ts';
import { createSignIns, type SignIns } from './sign-in.ts';
import { createSigningKeys, type PublicKey } from './signing-keys.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

/** OAuth2 and OpenID Connect: what the pages, the API's routes and the control API share. @see oauth2.md */
export interface Authorization {
  /** Judges the parameters of `/oauth2/authorize`. @throws AuthorizationPageFault (a Fault) */
  judge(parameters: URLSearchParams): Promise<Judgement>;
  /** Whether the user granted all that the request asks for before. */
  isGranted(request: AuthorizationRequest, userId: UserId): Promise<boolean>;
  /** Carries out a user's answer. @throws Fault */
  decide(decision: Decision): Promise<{ redirectTo: string }>;
  /** The token endpoint. @param authorization value of that header @throws OAuthFault */
  issueTokens(authorization: string | undefined, form: Form): Promise<TokenResponse>;
  /** The endpoint where a device begins. @throws OAuthFault */
  startDevice(authorization: string | undefined, form: Form): Promise<DeviceAuthorization>;
  /** The revocation endpoint. @throws OAuthFault */
  revoke(authorization: string | undefined, form: Form): Promise<void>;
  /** Keys that ID tokens can be verified with. */
  listKeys(): Promise<readonly PublicKey[]>;
  /** What users answer to devices that want to be signed in. */
  readonly device: {
    /** Undefined when no device shows this code, or it is over. @throws Fault `rate_limited` */
    find(typed: TypedCode): Promise<DeviceRequest | undefined>;
    /** @throws Fault `unknown_user`, `not_found`, `bad_request` when it was answered otherwise, `rate_limited` */
    decide(decision: DeviceDecision): Promise<void>;
  };
  readonly signIns: SignIns;
  /** Begins to clear away what has expired. @returns what ends it */
  start(): () => void;
}

export function createAuthorization(core: Core, webhookEvents = createWebhookEvents(core)): Authorization {
  const events = createAuthorizationEvents(core, webhookEvents);
  const keys = createSigningKeys(core);
  const issueTokens = createTokenEndpoint(core, createIdTokens(core, keys));
  const userCodeGuesses = createGuesses(core, 'oauth-user-code');
  return {
    judge: parameters => judge(core, parameters),
    async isGranted({ application, scopes }, userId) {
      const parties = { application_id: application.id, user_id: userId };
      return isGranted(scopes, (await findAuthorization(core.store, parties))?.scopes ?? []);
    },
    decide: decision => decide(core, events, decision),
    issueTokens,
    revoke: async (authorization, form) =>
      revoke(core, events, await authenticateClient(core, authorization, form), form),
    startDevice: async (authorization, form) =>
      startDevice(core, await authenticateClient(core, authorization, form), form),
    device: {
      find: typed => findDevice(core, userCodeGuesses, typed),
      decide: decision => decideDevice(core, events, userCodeGuesses, decision),
    },
    listKeys: async () => [await keys.published()],
    signIns: createSignIns(core),
    start: () => startSweeping(core),
  };
}
