import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { checkText, checkWebAddress, isAbsent, isFields } from '../field.ts';
import { Report } from '../report.ts';

/**
 * Checks the body that edits the application itself. An address that is null or empty is taken away.
 *
 * @see docs/spec/interactions.md#delivery-over-http; docs/spec/http.md#application
 */
export function checkApplicationEdit(value: unknown): Issue[] {
  const report = new Report();
  if (!isFields(value)) report.here('DICT_TYPE_CONVERT');
  else {
    const { description, interactions_endpoint_url: url } = value;
    if (!isAbsent(description)) {
      checkText(report, 'description', description, 0, limits.applicationDescriptionLengthMax);
    }
    if (!isAbsent(url) && url !== '') {
      checkWebAddress(report, 'interactions_endpoint_url', url, limits.interactionsEndpointUrlLengthMax);
    }
  }
  return report.issues;
}
