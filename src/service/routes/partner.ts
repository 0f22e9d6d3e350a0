import { expectPrincipal, type Handlers, type Reply } from '../http/call.ts';
import { uncached } from '../http/reply.ts';
import { currentUserView } from '../oauth/current-user/claims.ts';
import type { Provisional } from '../oauth/provisional/accounts-and-tokens.ts';

/** Provisional accounts, and tokens of publishers. @see docs/spec/oauth2.md#provisional-accounts */
export function partnerRoutes(provisional: Provisional): Handlers {
  return {
    createProvisionalToken: async call => token(await provisional.issueToken(call.body, call.address)),
    async createBotProvisionalToken(call) {
      const { application } = expectPrincipal(call, 'bot');
      return token(await provisional.issueTokenByBot(application, call.body));
    },
    createChildToken: async call => token(await provisional.exchangeChildToken(call.body, call.address)),
    async unmergeProvisionalAccount(call) {
      await provisional.unmerge(call.body, call.address);
      return { status: 204 };
    },
    async unmergeBotProvisionalAccount(call) {
      await provisional.unmergeByBot(expectPrincipal(call, 'bot').application, call.body);
      return { status: 204 };
    },
    async editAccount(call) {
      const { user, scopes } = expectPrincipal(call, 'user');
      return { status: 200, body: currentUserView(await provisional.edit(user, call.body), scopes) };
    },
  };
}

function token(body: object): Reply {
  return { status: 200, body, headers: uncached };
}
