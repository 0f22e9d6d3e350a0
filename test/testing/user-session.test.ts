import { expect, it, onTestFinished } from 'vitest';
import { control } from '../../src/cli/control/request.ts';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { startService } from '../../src/service/service.ts';
import { UserSession } from '../../src/testing/user-session.ts';
import { systemClock } from '../../src/wire/clock/ports.ts';

it('a chat client of a user who identified too often is greeted once the pace allows it', async () => {
  const service = await startService({ clock: 'virtual', fixtures: { users: [{ id: '9', username: 'ada' }] } });
  onTestFinished(() => service.close());
  const address = { url: service.controlBase, token: service.controlToken };
  const { token } = await control<{ token: string }>(address, 'POST /users/9/session');
  const addresses = { apiBase: service.apiBase, gateway: service.gateway };
  const open = () => UserSession.open(addresses, token, systemClock, () => {});
  const pace = limitProfiles.standard.buckets['gateway-identify-user-pace'];
  const sessions = await Promise.all(Array.from({ length: pace?.requests ?? 0 }, open));
  let last: UserSession | undefined;
  const opening = open().then(session => {
    last = session;
  });
  for (let seconds = 0; seconds < 30 && last === undefined; seconds++) {
    await control(address, 'POST /clock', { advance_ms: 1_000 });
    // What the service has sent by then is received, and answered.
    for (let i = 0; i < 3; i++) await sessions[0]?.barrier();
  }
  expect(last?.id).toMatch(/^[0-9a-f]+$/);
  await opening;
  await Promise.all([...sessions, last].map(session => session?.close()));
});
