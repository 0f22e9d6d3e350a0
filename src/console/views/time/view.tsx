import type { ViewProps } from '../../router.ts';

export default function TimeView(_: ViewProps) {
  return null;
}
