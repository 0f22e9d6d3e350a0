import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { version } from '../model/version.ts';
import type { Addresses } from './core.ts';

/** What a service says when it accepts traffic; the command prints it as one line. */
export interface ReadyLine {
  readonly event: 'ready';
  readonly api_base: string;
  readonly web_base: string;
  readonly gateway: string;
  readonly control_base: string;
  readonly control_token: string;
  /** Where the endpoints for operators are, when they have a port of their own. */
  readonly ops_base?: string;
  readonly pid: number;
  readonly version: string;
}

/** Where a service is reached. */
export interface ServiceAddresses {
  /** `http://host:port/api`, or below the public URL: what stands before `/v10`. */
  readonly apiBase: string;
  /** The origin of the pages, which is the `baseUrl` of clients and backends. */
  readonly webBase: string;
  /** `ws://host:port/gateway` */
  readonly gateway: string;
  /** Where the control API begins. */
  readonly controlBase: string;
  /** The bearer token of the control API. Secret. */
  readonly controlToken: string;
  /** Where the endpoints for operators are, when they have a port of their own. */
  readonly opsBase?: string;
}

export function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${reachableHost(host)}:${port}`;
}

export function addressesOf(web: string): Addresses {
  return { web, api: `${web}/api`, gateway: `${web.replace(/^http/, 'ws')}/gateway` };
}

export function readyLine({
  apiBase,
  webBase,
  gateway,
  controlBase,
  controlToken,
  opsBase,
}: ServiceAddresses): ReadyLine {
  return {
    event: 'ready',
    ...{ api_base: apiBase, web_base: webBase, gateway, control_base: controlBase, control_token: controlToken },
    ...(opsBase !== undefined && { ops_base: opsBase }),
    ...{ pid: process.pid, version },
  };
}

/** How clients on this machine reach a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
