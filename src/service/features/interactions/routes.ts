import {
  type CallHead,
  expectPrincipal,
  type Handler,
  type Handlers,
  type Proof,
  type Proofs,
  param,
} from '../../http/call.ts';
import { readFlag, readQueryId, readTogether } from '../../http/query.ts';
import { RequestError } from '../../support/request-error.ts';
import type { Interactions } from './interactions.ts';
import type { InteractionMessages, MessageRef } from './messages.ts';

/** @see docs/spec/interactions.md#after-the-answer */
export function interactionRoutes(interactions: Interactions): Handlers {
  const original = messageHandlers(interactions, () => '@original');
  const followUp = messageHandlers(interactions, call => param(call, 'message_id'));
  const refuse: Handler = call => {
    checkWebhookQuery(call);
    return interactions.rejectWebhook(...webhookOf(call));
  };
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
      checkWebhookQuery(call);
      return { status: 200, body: await interactions.followUp(...webhookOf(call), call.body) };
    },

    getOriginalResponse: original.get,
    editOriginalResponse: original.edit,
    deleteOriginalResponse: original.remove,
    getFollowUp: followUp.get,
    editFollowUp: followUp.edit,
    deleteFollowUp: followUp.remove,

    getWebhook: noWebhook,
    editWebhook: noWebhook,
    deleteWebhook: noWebhook,
    getWebhookByToken: refuse,
    editWebhookByToken: refuse,
    deleteWebhookByToken: refuse,
    executeGithubWebhook: refuse,
    executeSlackWebhook: refuse,
  };
}

/**
 * Checks the tokens in the paths before a body is read, after the query is validated.
 */
export function interactionProofs(interactions: Interactions): Proofs {
  const ofWebhook: Proof = call => {
    checkWebhookQuery(call);
    return interactions.checkWebhookToken(...webhookOf(call));
  };
  const refuse: Proof = call => {
    checkWebhookQuery(call);
    return interactions.rejectWebhook(...webhookOf(call));
  };
  return {
    createInteractionResponse(call) {
      readFlag(call, 'with_response');
      return interactions.checkToken(param(call, 'interaction_id'), param(call, 'interaction_token'));
    },
    createFollowUp: ofWebhook,
    getOriginalResponse: ofWebhook,
    editOriginalResponse: ofWebhook,
    deleteOriginalResponse: ofWebhook,
    getFollowUp: ofWebhook,
    editFollowUp: ofWebhook,
    deleteFollowUp: ofWebhook,
    getWebhookByToken: refuse,
    editWebhookByToken: refuse,
    deleteWebhookByToken: refuse,
    executeGithubWebhook: refuse,
    executeSlackWebhook: refuse,
  };
}

function noWebhook(): never {
  throw new RequestError('unknown_webhook');
}

/**
 * Validates the query of webhook routes, which has no effect here: the answer always waits for the message, messages stay in their
 * channel, and components are always accepted.
 *
 * @throws RequestError `invalid_form_body`
 * @see docs/spec/http.md#interaction-and-webhook-routes
 */
function checkWebhookQuery(call: Pick<CallHead, 'query'>): void {
  readTogether(
    () => readFlag(call, 'wait'),
    () => readFlag(call, 'with_components'),
    () => readQueryId(call, 'thread_id'),
  );
}

function messageHandlers(
  messages: InteractionMessages,
  refOf: (call: CallHead) => MessageRef,
): Readonly<Record<'get' | 'edit' | 'remove', Handler>> {
  return {
    async get(call) {
      checkWebhookQuery(call);
      return { status: 200, body: await messages.message(...webhookOf(call), refOf(call)) };
    },
    async edit(call) {
      checkWebhookQuery(call);
      return { status: 200, body: await messages.editMessage(...webhookOf(call), refOf(call), call.body) };
    },
    async remove(call) {
      checkWebhookQuery(call);
      await messages.deleteMessage(...webhookOf(call), refOf(call));
      return { status: 204 };
    },
  };
}

/** The token of an interaction acts as a webhook of its application. */
function webhookOf(call: CallHead): [applicationId: string, token: string] {
  return [param(call, 'application_id'), param(call, 'interaction_token')];
}
