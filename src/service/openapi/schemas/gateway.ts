import { serviceLimits } from '../../support/service-limits.ts';
import { integer, object, text } from '../json-schema.ts';

const url = { ...text(1), format: 'uri' };

/** @see docs/spec/gateway.md#connecting */
export const gatewaySchemas = {
  Gateway: object('Where the gateway is reached', { url }),
  GatewayBot: object('Where the gateway is reached, and how often', {
    url,
    shards: integer(1, serviceLimits.gatewayShardsMax),
    session_start_limit: object('Sessions that may still be started; times in milliseconds', {
      total: integer(0),
      remaining: integer(0),
      reset_after: integer(0),
      max_concurrency: integer(1),
    }),
  }),
};
