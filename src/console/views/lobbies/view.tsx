import type { ViewProps } from '../../router.ts';

export default function LobbiesView(_: ViewProps) {
  return null;
}
