import { expect, it } from 'vitest';
import { createBackend } from '../../../src/backend/index.ts';

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
