import type { ViewProps } from '../../router.ts';

export default function WorldView(_: ViewProps) {
  return null;
}
