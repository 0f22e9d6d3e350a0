import { apiErrors } from '../../../model/errors.ts';
import { Fault } from '../../fault.ts';
import { AuthorizationPageFault } from '../authorization-request.ts';
import type { ErrorText } from './error-page.ts';
import { OutdatedForm } from './visitor.ts';

/** What a person is told of an error; anything unforeseen is a 500 and told to nobody but the log. */
export function errorText(error: unknown): ErrorText {
  if (error instanceof AuthorizationPageFault) {
    const { message, advice } = error;
    return { status: apiErrors[error.reason].status, heading: 'This link does not work', message, advice };
  }
  if (error instanceof OutdatedForm) {
    return {
      status: 403,
      heading: 'This page is out of date',
      message: 'You signed in or out since it was loaded, or your browser keeps no cookies.',
      advice: 'Nothing was changed.',
    };
  }
  if (error instanceof Fault) {
    const { status } = apiErrors[error.reason];
    return { status, heading: 'This did not work', message: error.message, advice: 'Nothing was granted.' };
  }
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return {
      status,
      heading: 'This did not work',
      message: 'The form cannot be read.',
      advice: 'Nothing was changed.',
    };
  }
  return {
    status: 500,
    heading: 'Something broke',
    message: 'The service could not answer.',
    advice: 'Try again in a moment. The service’s log says more.',
  };
}
