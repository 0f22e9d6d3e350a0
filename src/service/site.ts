import type { FastifyInstance } from 'fastify';
import type { Activity } from './activity.ts';
import type { ControlDeps } from './control/deps.ts';
import { registerControl } from './control/routes.ts';
import type { Core } from './core.ts';
import type { AddressOf } from './http/client-address.ts';
import { createSite } from './http/site.ts';
import type { Authorization } from './oauth/authorization.ts';
import { registerAuthorizationPages } from './oauth/pages/authorization-pages.ts';
import type { SignInMode } from './options.ts';

export interface SiteRooms {
  readonly authorization: Authorization;
  readonly activity: Activity;
  readonly signIn: SignInMode;
  readonly addressOf: AddressOf;
  readonly control: ControlDeps;
}

/** The authorization pages and the control API, ready to take requests. */
export async function openSite(core: Core, { control, ...pages }: SiteRooms): Promise<FastifyInstance> {
  const site = createSite(core);
  registerAuthorizationPages(site, { core, ...pages });
  registerControl(site, control);
  await site.ready();
  return site;
}
