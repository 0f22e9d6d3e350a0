import type { UserSocial } from '../../../../wire/control/social.ts';
import type { ApplicationsPage } from '../../../../wire/control/world.ts';
import { useControl } from '../../../control/use-control.ts';
import { ErrorNote, Loading } from '../../../ui/states.tsx';
import { Conversations } from './conversations.tsx';
import { Presence } from './presence.tsx';
import { Relationships } from './relationships.tsx';
import { Settings } from './settings.tsx';

/** `#/world/users/9?tab=social&with=10`: what a user is to others, shows and has set, and its conversations. */
export function SocialTab({ userId, withId }: { readonly userId: string; readonly withId: string | undefined }) {
  const path = `/users/${encodeURIComponent(userId)}/social`;
  const { data, error, reload } = useControl<UserSocial>(path, { areas: ['social', 'users', 'sessions'] });
  const applications = useControl<ApplicationsPage>('/applications', { query: { limit: 1000 } }).data?.applications;
  if (!data) return error ? <ErrorNote error={error} onRetry={reload} /> : <Loading />;
  const card = { userId, social: data, applications: applications ?? [], reload };
  return (
    <div class="stack">
      <Relationships {...card} />
      <Presence {...card} />
      <Settings key={JSON.stringify(data.settings)} {...card} />
      <Conversations {...card} withId={withId} />
    </div>
  );
}
