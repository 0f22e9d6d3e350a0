import type { GatewayBot } from '../../model/gateway.ts';
import type { Core } from '../core.ts';
import { guildIdsOf } from '../features/guilds/records.ts';
import { expectPrincipal, type Handlers } from '../http/call.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { Gateway } from './gateway.ts';

/** Unspecified: the number of guilds per shard for the recommended number of shards, far below the maximum. */
const guildsPerShard = 1000;

/** @see docs/spec/gateway.md#connecting */
export function gatewayRoutes(core: Core, gateway: Gateway): Handlers {
  return {
    getGateway: () => ({ status: 200, body: { url: core.addresses.gateway } }),

    async getGatewayBot(call) {
      const { application } = expectPrincipal(call, 'bot');
      const { remaining, resetAtMs } = await gateway.budget.look(application.id);
      const guilds = await guildIdsOf(core.store, application.id);
      const body: GatewayBot = {
        url: core.addresses.gateway,
        shards: Math.max(1, Math.ceil(guilds.length / guildsPerShard)),
        session_start_limit: {
          total: gateway.budget.limit.requests,
          remaining,
          reset_after: Math.max(0, resetAtMs - core.clock.now()),
          max_concurrency: serviceLimits.gatewayMaxConcurrency,
        },
      };
      return { status: 200, body };
    },
  };
}
