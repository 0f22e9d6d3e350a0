/**
 * The parts of rxjs that this package is made of, file by file: its main door loads some two hundred files, five times
 * what all the rest of ours takes. They are the same classes that the main door shows.
 */
export { BehaviorSubject } from 'rxjs/internal/BehaviorSubject';
export { Observable } from 'rxjs/internal/Observable';
export { Subject } from 'rxjs/internal/Subject';
export type { Subscriber } from 'rxjs/internal/Subscriber';
