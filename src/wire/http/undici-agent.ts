/**
 * The one part of undici that is used, without its `fetch`, its caches and its tests' stand-ins. The build takes it into this
 * package (scripts/build.ts), because the bundle of a game server would otherwise contain all of undici.
 */
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
