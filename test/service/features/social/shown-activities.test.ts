import { expect, it } from 'vitest';
import type { ClientInfo } from '../../../../src/model/presence.ts';
import { defaultSettings } from '../../../../src/service/features/social/presence/records.ts';
import { seen, seenByFriend } from '../../../../src/service/features/social/presence/view.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';

it('shows the newest activities of a user, however many sessions show some', () => {
  const count = serviceLimits.gatewaySessionsPerUserMax;
  const client: ClientInfo = { client: 'desktop', os: 'linux', version: 0 };
  const sessions = Array.from({ length: count }, (_, n) => ({
    ...{ id: String(n), application_id: null, family_id: null, client, status: 'online' as const, status_set_at: 0 },
    activities: [{ family_id: null, activity: { name: `Game ${n}`, type: 0, application_id: String(n) } }],
  }));
  const user = seen({ sessions, settings: { ...defaultSettings, status_set_at: 0 } }, 0);
  const names = seenByFriend(user, null).activities.map(({ name }) => name);
  const shown = Array.from({ length: serviceLimits.shownActivitiesMax }, (_, n) => `Game ${count - n - 1}`);
  expect(names).toEqual(shown.toReversed());
});
