import type { DeviceResult } from '../../../model/oauth.ts';
import { checkDeviceFinish, checkDeviceVerify } from '../../../model/rules/accounts/device.ts';
import {
  applicationInPath,
  type Call,
  expectPrincipal,
  type Handlers,
  param,
  type Reply,
  uncached,
} from '../../http/call.ts';
import { requestErrorReply } from '../../http/errors.ts';
import { readFlag, readQueryIds, readTogether } from '../../http/query.ts';
import { challengeOf } from '../../support/challenge.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { botUserView } from '../accounts/user-view.ts';
import type { Authorization } from './authorize/authorization.ts';
import { currentBotView, currentUserView } from './current-user/claims.ts';
import { deviceView, type TypedCode, unknownUserCode } from './device/device-decision.ts';
import type { Provisional } from './provisional/accounts-and-tokens.ts';
import type { ProfileOwner } from './provisional/profiles.ts';
import { type ClientRequest, formOf } from './token/client-request.ts';
import { OAuthRequestError } from './token/oauth-request-error.ts';

/** The OAuth2 endpoints below the API, and what tokens read below `/users/@me`. */
export function oauthRoutes(authorization: Authorization): Handlers {
  const holder = (call: Call) => authorization.holderOf(expectPrincipal(call, 'user', 'application'));
  const holderInPath = (call: Call) => {
    applicationInPath(call, 'user', 'application');
    return holder(call);
  };
  const showClaims = async (call: Call) => ok(authorization.claimsOf(await holder(call)));
  const { roleConnections } = authorization;
  return {
    createToken: call => answer(async () => ok(await authorization.issueTokens(clientRequest(call)))),

    revokeToken: call =>
      answer(async () => {
        await authorization.revoke(clientRequest(call));
        return ok({});
      }),

    startDevice: call => answer(async () => ok(await authorization.startDevice(clientRequest(call)))),

    async verifyDevice(call) {
      rejectIssues(checkDeviceVerify(call.body));
      const device = await authorization.device.find(typedCode(call));
      if (!device) throw unknownUserCode();
      return ok(deviceView(device));
    },

    async finishDevice(call) {
      rejectIssues(checkDeviceFinish(call.body));
      const { result } = call.body as { result: DeviceResult };
      await authorization.device.decide({ ...typedCode(call), decision: result === 'granted' ? 'approve' : 'deny' });
      return { status: 204 };
    },

    getSigningKeys: async () => ok({ keys: await authorization.listKeys() }),

    getCurrentAuthorization: async call => ok(await authorization.showAuthorization(await holder(call))),

    getCurrentApplication: async call =>
      ok(await authorization.showOwnApplication(expectPrincipal(call, 'bot').application)),

    // Unspecified: connections to other services do not exist here.
    listOwnConnections: () => ok([]),

    listOwnEntitlements(call) {
      applicationInPath(call, 'user', 'application');
      readTogether(
        () => readQueryIds(call, 'sku_ids', serviceLimits.skuIdsMax),
        () => readFlag(call, 'exclude_consumed'),
      );
      // Unspecified: nothing is sold here, so there are no entitlements.
      return ok([]);
    },

    getRoleConnection: async call => ok(await roleConnections.get(await holderInPath(call))),
    replaceRoleConnection: async call => ok(await roleConnections.replace(await holderInPath(call), call.body)),
    async deleteRoleConnection(call) {
      await roleConnections.delete(await holderInPath(call));
      return { status: 204 };
    },

    getUserInfo: showClaims,
    postUserInfo: showClaims,

    async getCurrentUser(call) {
      const principal = expectPrincipal(call, 'bot', 'user', 'application');
      if (principal.kind === 'bot') return ok(currentBotView(botUserView(principal.application)));
      const { user, scopes } = await authorization.holderOf(principal);
      return ok(currentUserView(user, scopes));
    },
  };
}

function typedCode(call: Call): TypedCode {
  const { user_code } = call.body as { user_code: string };
  return { userCode: user_code, userId: expectPrincipal(call, 'session').user.id };
}

function ok(body: object): Reply {
  return { status: 200, body };
}

/** Answers with OAuth2's error bodies or, for other errors, with the API's. Neither may be cached. @see docs/spec/oauth2.md#errors */
async function answer(respond: () => Promise<Reply>): Promise<Reply> {
  const reply = await respond().catch(refusal);
  return { ...reply, headers: { ...reply.headers, ...uncached } };
}

function refusal(error: unknown): Reply {
  if (error instanceof RequestError) return requestErrorReply(error);
  if (!(error instanceof OAuthRequestError)) throw error;
  const body = {
    error: error.error,
    ...(error.description === undefined ? {} : { error_description: error.description }),
  };
  if (error.error !== 'invalid_client') return { status: 400, body };
  return { status: 401, body, headers: { 'www-authenticate': challengeOf('Basic', 'invalid_client') } };
}

function clientRequest(call: Call): ClientRequest {
  const { authorization } = call.headers;
  return {
    authorization: typeof authorization === 'string' ? authorization : undefined,
    form: formOf(call),
    address: call.address,
  };
}

/** Provisional accounts, and tokens of publishers. @see docs/spec/oauth2.md#provisional-accounts */
export function partnerRoutes(provisional: Provisional): Handlers {
  return {
    createProvisionalToken: async call => uncachedToken(await provisional.issueToken(call.body, call.address)),
    async createBotProvisionalToken(call) {
      const { application } = expectPrincipal(call, 'bot');
      return uncachedToken(await provisional.issueTokenByBot(application, call.body));
    },
    createChildToken: async call => uncachedToken(await provisional.exchangeChildToken(call.body, call.address)),
    async unmergeProvisionalAccount(call) {
      await provisional.unmerge(call.body, call.address);
      return { status: 204 };
    },
    async unmergeBotProvisionalAccount(call) {
      await provisional.unmergeByBot(expectPrincipal(call, 'bot').application, call.body);
      return { status: 204 };
    },
    async getApplicationProfile(call) {
      return { status: 200, body: await provisional.profiles.get(applicationInPath(call, 'bot'), profileOwner(call)) };
    },
    async editApplicationProfile(call) {
      const application = applicationInPath(call, 'bot');
      return { status: 200, body: await provisional.profiles.edit(application, profileOwner(call), call.body) };
    },
    async editAccount(call) {
      const { user, scopes } = expectPrincipal(call, 'user');
      return { status: 200, body: currentUserView(await provisional.edit(user, scopes, call.body), scopes) };
    },
  };
}

function profileOwner(call: Call): ProfileOwner {
  return { userId: param(call, 'user_id'), externalId: param(call, 'external_user_id') };
}

function uncachedToken(body: object): Reply {
  return { status: 200, body, headers: uncached };
}
