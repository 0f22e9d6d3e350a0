import type { Interactions } from '../domain/interactions.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../http/call.ts';

/** @see commands.md 3.4 */
export function interactionRoutes(interactions: Interactions): Handlers {
  return {
    async invokeCommand(call) {
      await interactions.invoke(expectPrincipal(call, 'session').user, call.body);
      return { status: 204 };
    },

    async createInteractionResponse(call) {
      const body = await interactions.answer(
        param(call, 'interaction_id'),
        param(call, 'interaction_token'),
        call.body,
      );
      return isTrue(call, 'with_response') ? { status: 200, body } : { status: 204 };
    },

    async getOriginalResponse(call) {
      const body = await interactions.original(param(call, 'application_id'), param(call, 'interaction_token'));
      return { status: 200, body };
    },
  };
}

/** @see commands.md 6, booleans in a query */
function isTrue({ query }: Call, name: string): boolean {
  const value = query[name];
  return value === 'true' || value === 'True' || value === '1';
}
