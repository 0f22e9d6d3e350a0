export { refuseIssues } from '../wire/check.ts';
