import type { UserDetails } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf } from '../../router.ts';

/** Who owns something, by name as soon as that is known. */
export function OwnerLink({ id }: { readonly id: string }) {
  const { data } = useControl<UserDetails>(`/users/${encodeURIComponent(id)}`, { areas: ['users'] });
  return <a href={hrefOf('world', ['users', id])}>{data ? `${data.global_name ?? data.username} (${id})` : id}</a>;
}
