import type { GatewayBot } from '../../model/gateway.ts';
import type { Core } from '../core.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { expectPrincipal, type Handlers } from '../http/call.ts';

/** @see gateway.md 1 */
export function gatewayRoutes(core: Core, gateway: Gateway): Handlers {
  return {
    getGateway: () => ({ status: 200, body: { url: core.addresses.gateway } }),

    async getGatewayBot(call) {
      const { application } = expectPrincipal(call, 'bot');
      const { remaining, resetAtMs } = await gateway.budget.look(application.id);
      const body: GatewayBot = {
        url: core.addresses.gateway,
        shards: 1,
        session_start_limit: {
          total: gateway.budget.limit.requests,
          remaining,
          reset_after: Math.max(0, resetAtMs - core.clock.now()),
          max_concurrency: 1,
        },
      };
      return { status: 200, body };
    },
  };
}
