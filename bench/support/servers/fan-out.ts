import { startService } from '@rallypoint/sdk/service';
import { serve, serverOptions } from '../child.ts';

/** Our service with an application and so many players, on a data folder if one is named. */
const { players, data, port } = serverOptions<{ players: number; data?: string; port?: number }>();

const service = await startService({
  limits: 'off',
  ...(data === undefined ? {} : { data }),
  ...(port === undefined ? {} : { port }),
  fixtures: {
    applications: [{ id: '1000000000', name: 'Bench', owner_id: '1', bot_token: 'bench-token' }],
    users: Array.from({ length: players }, (_, index) => ({ id: String(index + 1), username: `player${index + 1}` })),
  },
});

const { controlBase, controlToken } = service;
serve({ port: Number(new URL(service.webBase).port), controlBase, controlToken, pid: process.pid }, () =>
  service.close(),
);
