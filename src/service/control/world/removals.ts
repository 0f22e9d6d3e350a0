import { createRemoval } from '../../testing/removal.ts';
import type { ControlDeps } from '../deps.ts';
import { type ControlCall, call, pathId } from '../request.ts';

/** Calls that delete users, applications, guilds and their parts, with everything that belongs to them. */
export function removalCalls({ core, removalParts }: ControlDeps): readonly ControlCall[] {
  const removal = createRemoval(core, removalParts);
  return [
    call('DELETE /users/{id}', request => removal.user(pathId(request, 'user'))),
    call('DELETE /applications/{id}', request => removal.application(pathId(request, 'application'))),
    call('DELETE /guilds/{id}', request => removal.guild(pathId(request, 'guild'))),
    call('DELETE /guilds/{id}/roles/{role}', request =>
      removal.role(pathId(request, 'guild'), pathId(request, 'role', 'role')),
    ),
    call('DELETE /guilds/{id}/channels/{channel}', request =>
      removal.channel(pathId(request, 'guild'), pathId(request, 'channel', 'channel')),
    ),
    call('DELETE /guilds/{id}/members/{user}', request =>
      removal.member(pathId(request, 'guild'), pathId(request, 'user', 'user')),
    ),
  ];
}
