import type { Interactions } from '../domain/interactions.ts';
import { expectPrincipal, type Handlers, param } from '../http/call.ts';
import { readFlag } from '../http/query.ts';

/** @see commands.md 3.4 */
export function interactionRoutes(interactions: Interactions): Handlers {
  return {
    async invokeCommand(call) {
      await interactions.invoke(expectPrincipal(call, 'session').user, call.body);
      return { status: 204 };
    },

    async createInteractionResponse(call) {
      const withResponse = readFlag(call, 'with_response');
      const [id, token] = [param(call, 'interaction_id'), param(call, 'interaction_token')];
      const body = await interactions.answer(id, token, call.body);
      return withResponse ? { status: 200, body } : { status: 204 };
    },

    async getOriginalResponse(call) {
      const body = await interactions.original(param(call, 'application_id'), param(call, 'interaction_token'));
      return { status: 200, body };
    },
  };
}
