import type { ViewProps } from '../../router.ts';

export default function SignInView(_: ViewProps) {
  return null;
}
