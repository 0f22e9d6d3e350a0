import { startService } from '@rallypoint/sdk/service';
import { serve, serverOptions } from '../child.ts';

/** Our service, from the built package, with nothing limited: embedded, or as a node on these engines. */
const { data, store, bus } = serverOptions<{ data?: string; store?: string; bus?: string }>();

const service = await startService({
  limits: 'off',
  ...(data === undefined ? {} : { data }),
  ...(store === undefined ? {} : { store }),
  ...(bus === undefined ? {} : { bus }),
  fixtures: {
    applications: [{ id: '100', name: 'Bench', owner_id: '1', bot_token: 'bench-token' }],
    users: Array.from({ length: 50 }, (_, index) => ({ id: String(index + 1), username: `player${index + 1}` })),
  },
});

serve({ port: Number(new URL(service.webBase).port) }, () => service.close());
