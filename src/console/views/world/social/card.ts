import type { NamedUser, UserSocial } from '../../../../wire/control/social.ts';
import type { ApplicationDetails } from '../../../../wire/control/world.ts';

/** What each card of a user's social layer is given. */
export interface SocialCardProps {
  readonly userId: string;
  readonly social: UserSocial;
  readonly applications: readonly ApplicationDetails[];
  reload(): void;
}

export function nameOf({ id, username, global_name }: NamedUser): string {
  return global_name ?? username ?? id;
}

/** The name of the application, or of a publisher whose games share it. */
export function gameName(applications: readonly ApplicationDetails[], id: string): string {
  return applications.find(application => application.id === id)?.name ?? id;
}
