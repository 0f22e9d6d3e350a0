import type { FastifyInstance } from 'fastify';
import type { Activity } from './activity.ts';
import type { ControlDeps } from './control/deps.ts';
import { registerControl } from './control/routes.ts';
import type { Core } from './core.ts';
import type { FileShelf } from './file-shelf.ts';
import type { AddressOf } from './http/client-address.ts';
import { createSite } from './http/site.ts';
import type { Authorization } from './oauth/authorization.ts';
import { registerAuthorizationPages } from './oauth/pages/authorization-pages.ts';
import type { SignInMode } from './options.ts';
import { registerFiles } from './serve-files.ts';

export interface SiteRooms {
  readonly authorization: Authorization;
  readonly activity: Activity;
  readonly signIn: SignInMode;
  readonly addressOf: AddressOf;
  readonly control: ControlDeps;
  readonly files: Pick<FileShelf, 'get'>;
}

/** The authorization pages, the control API and the files of messages, ready to take requests. */
export async function openSite(core: Core, { control, files, ...pages }: SiteRooms): Promise<FastifyInstance> {
  const site = createSite(core);
  registerAuthorizationPages(site, { core, ...pages });
  registerControl(site, control);
  registerFiles(site, files);
  await site.ready();
  return site;
}
