import type { ViewProps } from '../../router.ts';

export default function StageView(_: ViewProps) {
  return null;
}
