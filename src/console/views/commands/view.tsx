import type { ViewProps } from '../../router.ts';

export default function CommandsView(_: ViewProps) {
  return null;
}
