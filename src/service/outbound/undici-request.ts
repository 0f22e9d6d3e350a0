/** The parts of undici that send requests over a custom connector. */
export { default as request } from 'undici/lib/api/api-request.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { Agent } from '../../wire/http/undici-agent.ts';
