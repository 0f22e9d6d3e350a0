import type { ViewProps } from '../../router.ts';

export default function TrafficView(_: ViewProps) {
  return null;
}
