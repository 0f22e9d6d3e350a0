/** The parts of undici that ask somebody by a way of connecting of one's own; the build takes them into this package. */
export { default as request } from 'undici/lib/api/api-request.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { Agent } from '../../wire/http/undici-agent.ts';
