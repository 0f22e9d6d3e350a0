import type { Core } from '../../../core.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../../../http/call.ts';
import { familyOf } from '../pair.ts';
import type { HeadlessSessions } from './headless.ts';
import type { SettingsEdits } from './settings.ts';
import { subscribeActivities } from './subscriptions.ts';
import { readMetadata, readPresences, type Viewer, visibleUsers } from './visible.ts';

/** What users show of themselves, and what they see of others. @see docs/spec/social.md#presence; docs/spec/social.md#settings */
export function presenceRoutes(core: Core, headless: HeadlessSessions, settings: SettingsEdits): Handlers {
  return {
    async listPresences(call) {
      const viewer = viewerOf(call);
      const { presences } = await readPresences(core, viewer.familyId, await visibleUsers(core.store, viewer));
      return { status: 200, body: { presences, guilds: [], applications: [] } };
    },
    async editSettings(call) {
      const { kind, user } = expectPrincipal(call, 'user', 'session');
      return { status: 200, body: await settings.edit(user.id, call.body, kind === 'session') };
    },
    async putHeadlessSession(call) {
      const { application, user } = expectPrincipal(call, 'user');
      return { status: 200, body: await headless.put(application, user.id, call.body) };
    },
    async deleteHeadlessSession(call) {
      await headless.end(viewerOf(call).userId, call.body);
      return { status: 204 };
    },
    async subscribeActivities(call) {
      await subscribeActivities(core, viewerOf(call), call.body);
      return { status: 204 };
    },
    async getActivityMetadata(call) {
      const body = await readMetadata(core, viewerOf(call), {
        userId: param(call, 'user_id'),
        sessionId: param(call, 'session_id'),
        applicationId: param(call, 'application_id'),
      });
      return body ? { status: 200, body } : { status: 204 };
    },
  };
}

function viewerOf(call: Call): Viewer {
  const principal = expectPrincipal(call, 'user', 'session');
  return {
    userId: principal.user.id,
    familyId: principal.kind === 'session' ? null : familyOf(principal.application),
  };
}
