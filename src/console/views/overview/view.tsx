import type { ViewProps } from '../../router.ts';

export default function OverviewView(_: ViewProps) {
  return null;
}
