import type { TokenResponse } from '../../../../model/oauth.ts';
import type { ApplicationId, Snowflake, UserId } from '../../../../model/snowflake.ts';
import { createAttemptLimiter } from '../../../auth/attempt-limiter.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, UserRecord } from '../../../store/records.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { type OwnApplication, ownApplicationView } from '../../accounts/application-view.ts';
import { createUserCounts } from '../../accounts/user-counts.ts';
import type { WebhookEvents } from '../../webhooks/events.ts';
import {
  type CurrentAuthorization,
  currentAuthorizationView,
  type Holder,
  holderOf,
  userClaims,
} from '../current-user/claims.ts';
import { createRoleConnections, type RoleConnections } from '../current-user/role-connections.ts';
import { type DeviceAuthorization, startDevice } from '../device/device-code.ts';
import {
  type DeviceDecision,
  type DeviceRequest,
  decideDevice,
  findDevice,
  type TypedCode,
} from '../device/device-decision.ts';
import { startSweeping } from '../expiry.ts';
import { createIdTokens, createSigningKeys, type PublicKey, type SigningKeys } from '../openid/signed-tokens.ts';
import type { MovedPart } from '../provisional/account-moves.ts';
import { createProvisional, type Provisional } from '../provisional/accounts-and-tokens.ts';
import { createSignIns, type SignIns } from '../sign-in/sign-in.ts';
import { authenticateClient, type ClientRequest, createProofGuard } from '../token/client-request.ts';
import {
  deleteEndedCredentials,
  endApplicationTokens,
  endChildTokens,
  endCredentials,
  endOneAuthorization,
  endUserTokens,
} from '../token/end-user-tokens.ts';
import { revoke } from '../token/revocation.ts';
import { createTokenEndpoint } from '../token/token-endpoint.ts';
import { createAuthorizationEvents } from './authorization-events.ts';
import { findAuthorization, type Parties } from './authorization-records.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { type Decision, decide } from './decision.ts';
import { isGranted } from './scope-rules.ts';
import { type Validation, validateAuthorizationRequest } from './validate-request.ts';

/** OAuth2 and OpenID Connect: what the pages, the API's routes and the control API share. @see docs/spec/oauth2.md */
export interface Authorization {
  /** Validates the parameters of `/oauth2/authorize`. @throws AuthorizationPageFault (a RequestError) */
  validateRequest(parameters: URLSearchParams): Promise<Validation>;
  /** Whether the user has already granted all that the request asks for, so that `prompt=none` can skip the page. */
  isGranted(request: AuthorizationRequest, userId: UserId): Promise<boolean>;
  /** Carries out a user's answer. @throws RequestError */
  decide(decision: Decision): Promise<{ redirectTo: string }>;
  /** The token endpoint. @throws OAuthRequestError; RequestError `rate_limited` */
  issueTokens(request: ClientRequest): Promise<TokenResponse>;
  /** The device authorization endpoint. @throws OAuthRequestError; RequestError `rate_limited` */
  startDevice(request: ClientRequest): Promise<DeviceAuthorization>;
  /** The revocation endpoint. @throws OAuthRequestError; RequestError `rate_limited` */
  revoke(request: ClientRequest): Promise<void>;
  /** Ends everything that lets somebody act as the user, and closes the gateway sessions that depend on it. */
  endUserTokens(userId: UserId): Promise<void>;
  /** The same in a transaction that also does something else: see {@link endCredentials}. */
  endCredentials(transaction: Transaction, user: UserRecord): Promise<void>;
  /** @see deleteEndedCredentials */
  deleteEndedCredentials(userId: UserId): Promise<void>;
  /** Ends one authorization with all its tokens. @returns whether there was one */
  endAuthorization(id: Snowflake): Promise<boolean>;
  /** Ends what an application has besides the authorizations for it: see {@link endApplicationTokens}. */
  endApplicationTokens(applicationId: ApplicationId): Promise<void>;
  /** Ends what an application has by its former parent: see {@link endChildTokens}. */
  endChildTokens(applicationId: ApplicationId): Promise<void>;
  /** The user that an access token acts for. @throws RequestError `unauthorized` */
  holderOf(principal: Parameters<typeof holderOf>[1]): Promise<Holder>;
  /** Describes the authorization behind an access token. */
  showAuthorization(holder: Holder): Promise<CurrentAuthorization>;
  /** OpenID claims about a token's user. */
  claimsOf(holder: Holder): ReturnType<typeof userClaims>;
  /** The application as its own bot sees it. */
  showOwnApplication(application: ApplicationRecord): Promise<OwnApplication>;
  /** The keys that verify ID tokens. */
  listKeys(): Promise<readonly PublicKey[]>;
  /** What users answer to devices that request sign-in. */
  readonly device: {
    /** Undefined when no device shows this code, or the code has expired. @throws RequestError `rate_limited` */
    find(typed: TypedCode): Promise<DeviceRequest | undefined>;
    /**
     * @throws RequestError `unknown_user`, `not_found`, `bad_request` when another answer was given before,
     *   `rate_limited`
     */
    decide(decision: DeviceDecision): Promise<void>;
  };
  readonly signIns: SignIns;
  readonly provisional: Provisional;
  readonly roleConnections: RoleConnections;
  /** Starts to delete expired records. @returns a function that stops it */
  start(): () => void;
}

export interface AuthorizationDeps {
  /** Delivers events to the applications' servers. */
  readonly webhookEvents: WebhookEvents;
  /** What moves with accounts that are merged. */
  readonly moved: readonly MovedPart[];
  /** Called after a user has withdrawn an authorization. */
  readonly onDeauthorized?: (parties: Parties) => Promise<void>;
  /** Counts requests to other servers. */
  readonly pendingWork: PendingWork;
  readonly keys?: SigningKeys;
}

export function createAuthorization(
  core: Core,
  { webhookEvents, moved, onDeauthorized, pendingWork, keys = createSigningKeys(core) }: AuthorizationDeps,
): Authorization {
  const events = createAuthorizationEvents(core, webhookEvents, parties => {
    if (onDeauthorized)
      pendingWork
        .run(() => onDeauthorized(parties))
        .catch(error => core.log.error({ error }, 'What a user showed in a game could not be ended.'));
  });
  const idTokens = createIdTokens(core, keys);
  const proofs = createAttemptLimiter(core, 'oauth-proof');
  const provisional = createProvisional(core, { idTokens, events, moved, pendingWork, proofs });
  const issueTokens = createTokenEndpoint(core, idTokens, provisional.merges);
  const guarded = createProofGuard(proofs);
  const countUsers = createUserCounts(core);
  const userCodeAttempts = createAttemptLimiter(core, 'oauth-user-code');
  return {
    validateRequest: parameters => validateAuthorizationRequest(core, parameters),
    async isGranted(request, userId) {
      const parties = { application_id: request.application.id, user_id: userId };
      return isGranted(request, (await findAuthorization(core.store, parties))?.scopes ?? []);
    },
    decide: decision => decide(core, events, decision),
    issueTokens: request => guarded(request, () => issueTokens(request)),
    revoke: request =>
      guarded(request, async () =>
        revoke(core, { events, pendingWork }, await authenticateClient(core, request), request.form),
      ),
    startDevice: request =>
      guarded(request, async () => startDevice(core, await authenticateClient(core, request), request.form)),
    device: {
      find: typed => findDevice(core, userCodeAttempts, typed),
      decide: decision => decideDevice(core, events, userCodeAttempts, decision),
    },
    endUserTokens: userId => endUserTokens(core, { events, pendingWork }, userId),
    endCredentials,
    deleteEndedCredentials: userId => deleteEndedCredentials(core, { events, pendingWork }, userId),
    endAuthorization: id => endOneAuthorization(core, { events, pendingWork }, id),
    endApplicationTokens: applicationId => endApplicationTokens(core, applicationId),
    endChildTokens: applicationId => endChildTokens(core, applicationId),
    holderOf: principal => holderOf(core.store, principal),
    showAuthorization: holder => currentAuthorizationView(core.store, holder),
    claimsOf: holder => userClaims(holder, core.addresses.web),
    showOwnApplication: application => ownApplicationView(core, countUsers, application),
    listKeys: async () => [await keys.published()],
    signIns: createSignIns(core),
    provisional,
    roleConnections: createRoleConnections(core),
    start: () => startSweeping(core),
  };
}
