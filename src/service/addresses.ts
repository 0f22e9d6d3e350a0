import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { version } from '../model/version.ts';
import type { Addresses } from './core.ts';
import { dialedHost } from './support/network-address.ts';

/** What a service reports when it accepts traffic. The `rallypoint` command prints it as one line of JSON. */
export interface ReadyLine {
  readonly event: 'ready';
  readonly api_base: string;
  readonly web_base: string;
  readonly gateway: string;
  readonly control_base: string;
  readonly control_token: string;
  /** The endpoints for operators, if they have a port of their own. */
  readonly ops_base?: string;
  /** The console, if it is on. The fragment contains the control token: the link signs in. */
  readonly console_url?: string;
  readonly pid: number;
  readonly version: string;
}

/** The addresses of a service. */
export interface ServiceAddresses {
  /** `http://host:port/api`, or the same below the public URL; `/v10` follows. */
  readonly apiBase: string;
  /** The origin of the pages, which is the `baseUrl` of clients and backends. */
  readonly webBase: string;
  /** `ws://host:port/gateway` */
  readonly gateway: string;
  /** The address of the control API; its paths follow. */
  readonly controlBase: string;
  /** The bearer token of the control API. Secret. */
  readonly controlToken: string;
  /** The endpoints for operators, if they have a port of their own. */
  readonly opsBase?: string;
  /** The console, if it is on. Secret: the fragment contains the control token, so that the link signs in. */
  readonly consoleUrl?: string;
}

export function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${reachableHost(host)}:${port}`;
}

export function addressesOf(web: string): Addresses {
  return { web, api: `${web}/api`, gateway: `${web.replace(/^http/, 'ws')}/gateway` };
}

/** The console's address, which signs in. @param own the origin where the service listens, as for the control API */
export function consoleUrlAt(own: string, controlToken: string): string {
  return `${own}/console#token=${encodeURIComponent(controlToken)}`;
}

export function readyLine({
  apiBase,
  webBase,
  gateway,
  controlBase,
  controlToken,
  opsBase,
  consoleUrl,
}: ServiceAddresses): ReadyLine {
  return {
    event: 'ready',
    ...{ api_base: apiBase, web_base: webBase, gateway, control_base: controlBase, control_token: controlToken },
    ...(opsBase !== undefined && { ops_base: opsBase }),
    ...(consoleUrl !== undefined && { console_url: consoleUrl }),
    ...{ pid: process.pid, version },
  };
}

/** The host in addresses by which programs on this machine reach a server that listens on `host`. */
function reachableHost(host: string): string {
  const dialed = dialedHost(host);
  return dialed.includes(':') ? `[${dialed}]` : dialed;
}
