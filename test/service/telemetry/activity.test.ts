import { expect, it } from 'vitest';
import { lazyEvent, topics } from '../../../src/service/events/announcement.ts';
import { consoleLimits } from '../../../src/service/support/service-limits.ts';
import { Activity } from '../../../src/service/telemetry/activity.ts';
import { systemClock, systemEntropy } from '../../../src/wire/clock/ports.ts';

function recording(): Activity {
  const activity = new Activity(systemClock, systemEntropy);
  activity.record({ isRead: true });
  return activity;
}

it('counts frames and events that nobody received towards the bound on bytes', () => {
  const frames = recording();
  const length = 3900;
  for (let n = 0; n < consoleLimits.trafficEntriesMax; n++) {
    frames.connection(n, undefined, { kind: 'received' }, { op: 2, d: 'x'.repeat(length) });
  }
  expect(frames.size * length).toBeLessThan(consoleLimits.trafficBytesMax);
  const events = recording();
  for (let n = 0; n < consoleLimits.trafficEntriesMax; n++) {
    const event = lazyEvent('RESUMED', () => 'x'.repeat(length) as unknown as Record<string, never>);
    events.announced({ to: topics.nodes, event, scope: 'lobby/1' }, 0);
  }
  expect(events.size * length).toBeLessThan(consoleLimits.trafficBytesMax);
});

it('keeps no frame and no event that is larger than a body may be', () => {
  const activity = recording();
  const text = 'x'.repeat(consoleLimits.trafficBodyBytesMax);
  activity.connection(1, undefined, { kind: 'received' }, { op: 2, d: text });
  const event = lazyEvent('RESUMED', () => text as unknown as Record<string, never>);
  activity.announced({ to: topics.nodes, event, scope: 'lobby/1' }, 1);
  expect([activity.at(1)?.details.data, activity.at(2)?.details]).toEqual([undefined, { isCut: true }]);
});
