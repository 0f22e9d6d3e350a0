import { expect, it } from 'vitest';
import { createBackend } from '../../../src/backend/index.ts';
import type { SocketEvents } from '../../../src/wire/clock/ports.ts';
import { recordingLog } from '../../support/recording-log.ts';

it('a backend that is closed while it looks up the gateway opens no socket', async () => {
  const opened: string[] = [];
  const backend = createBackend({
    baseUrl: 'http://127.0.0.1:1',
    applicationId: '1',
    botToken: 'bot',
    socket: url => {
      opened.push(url);
      return { send() {}, close() {} };
    },
    transport: {
      async send() {
        void backend.close();
        return { status: 200, headers: {}, text: JSON.stringify({ url: 'ws://127.0.0.1:1/' }) };
      },
      close() {},
    },
  });
  await expect(backend.interactions.listen(() => {})).rejects.toMatchObject({ code: 'closed' });
  expect(opened).toEqual([]);
});

it('what onStop throws is logged, and not thrown into the socket', async () => {
  const { log, lines } = recordingLog();
  let socket: SocketEvents | undefined;
  const backend = createBackend({
    baseUrl: 'http://127.0.0.1:1',
    applicationId: '1',
    botToken: 'bot',
    logger: log,
    socket: (_, events) => {
      socket = events;
      queueMicrotask(() => {
        events.opened();
        events.received('{"op":10,"d":{"heartbeat_interval":40000}}');
        events.received('{"op":0,"s":1,"t":"READY","d":{"session_id":"x"}}');
      });
      return { send() {}, close() {} };
    },
    transport: {
      async send() {
        return { status: 200, headers: {}, text: JSON.stringify({ url: 'ws://127.0.0.1:1/' }) };
      },
      close() {},
    },
  });
  const stops: number[] = [];
  await backend.interactions.listen(() => {}, {
    onStop: ({ closeCode }) => {
      stops.push(closeCode);
      throw new Error('thrown by onStop');
    },
  });
  expect(() => socket?.closed(4004, '')).not.toThrow();
  expect(stops).toEqual([4004]);
  expect(lines).toMatchObject([{ level: 'error', message: 'onStop failed' }]);
  await backend.close();
});
