import type { InteractionMessages, MessageRef } from '../domain/interaction-messages.ts';
import type { Interactions } from '../domain/interactions.ts';
import { type Call, expectPrincipal, type Handler, type Handlers, param } from '../http/call.ts';
import { readFlag } from '../http/query.ts';

/** @see commands.md 3.4 */
export function interactionRoutes(interactions: Interactions): Handlers {
  const original = messageHandlers(interactions, () => '@original');
  const followUp = messageHandlers(interactions, call => param(call, 'message_id'));
  return {
    async invokeCommand(call) {
      await interactions.invoke(expectPrincipal(call, 'session').user, call.body);
      return { status: 204 };
    },

    async createInteractionResponse(call) {
      const isAsked = readFlag(call, 'with_response');
      const body = await interactions.answer(
        param(call, 'interaction_id'),
        param(call, 'interaction_token'),
        call.body,
      );
      return isAsked ? { status: 200, body } : { status: 204 };
    },

    async createFollowUp(call) {
      return { status: 200, body: await interactions.followUp(...webhookOf(call), call.body) };
    },

    getOriginalResponse: original.get,
    editOriginalResponse: original.edit,
    deleteOriginalResponse: original.remove,
    getFollowUp: followUp.get,
    editFollowUp: followUp.edit,
    deleteFollowUp: followUp.remove,
  };
}

function messageHandlers(
  messages: InteractionMessages,
  refOf: (call: Call) => MessageRef,
): Readonly<Record<'get' | 'edit' | 'remove', Handler>> {
  return {
    async get(call) {
      return { status: 200, body: await messages.message(...webhookOf(call), refOf(call)) };
    },
    async edit(call) {
      return { status: 200, body: await messages.editMessage(...webhookOf(call), refOf(call), call.body) };
    },
    async remove(call) {
      await messages.deleteMessage(...webhookOf(call), refOf(call));
      return { status: 204 };
    },
  };
}

/** An interaction's token makes it a webhook of its application. */
function webhookOf(call: Call): [applicationId: string, token: string] {
  return [param(call, 'application_id'), param(call, 'interaction_token')];
}
