import { type Call, expectPrincipal, type Handlers, param } from '../../../http/call.ts';
import { readCount, readQueryId, readTogether } from '../../../http/query.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import type { InviteSender } from './invites.ts';
import type { DirectMessages, MessageCaller } from './messages.ts';

const history = {
  min: 1,
  max: serviceLimits.directHistoryMessagesMax,
  absent: serviceLimits.directHistoryMessagesDefault,
};

/** Messages between users, and invites to activities. @see docs/spec/social.md#messages; docs/spec/social.md#invites */
export function socialMessageRoutes(messages: DirectMessages): Handlers {
  return {
    async createDirectMessage(call) {
      return { status: 200, text: await messages.send(writerOf(call), otherId(call), call.body) };
    },
    async listDirectMessages(call) {
      const count = readCount(call, 'limit', history);
      return { status: 200, text: await messages.list(callerOf(call), otherId(call), count) };
    },
    async editDirectMessage(call) {
      const text = await messages.edit(callerOf(call), otherId(call), param(call, 'message_id'), call.body);
      return { status: 200, text };
    },
    async deleteDirectMessage(call) {
      await messages.remove(callerOf(call), otherId(call), param(call, 'message_id'));
      return { status: 204 };
    },
    async listConversations(call) {
      return { status: 200, body: await messages.conversations(callerOf(call).user.id) };
    },
    async getDirectChannel(call) {
      return { status: 200, body: await messages.channel(callerOf(call).user.id, otherId(call)) };
    },
    async setDirectModerationMetadata(call) {
      const { application } = expectPrincipal(call, 'bot');
      const users = [param(call, 'user_id_1'), param(call, 'user_id_2')] as const;
      await messages.moderate(application, users, param(call, 'message_id'), call.body);
      return { status: 204 };
    },
    async getActivitySecret(call) {
      const [messageId, channelId] = readTogether(
        () => readQueryId<'message'>(call, 'message_id'),
        () => readQueryId<'channel'>(call, 'channel_id'),
      );
      const body = await messages.secrets.read(callerOf(call), {
        ...{ userId: otherId(call), messageId, channelId },
        sessionId: param(call, 'session_id'),
        applicationId: param(call, 'application_id'),
      });
      return { status: 200, body };
    },
  };
}

function otherId(call: Call): string {
  return param(call, 'user_id');
}

function callerOf(call: Call): InviteSender {
  const principal = expectPrincipal(call, 'user', 'session');
  return { user: principal.user, application: principal.kind === 'user' ? principal.application : null };
}

function writerOf(call: Call): MessageCaller {
  const principal = expectPrincipal(call, 'user', 'session');
  const mayWrite = principal.kind === 'session' || principal.scopes.has('dm_channels.messages.write');
  return { ...callerOf(call), mayWrite };
}
