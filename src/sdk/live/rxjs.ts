import type {
  BehaviorSubject as RxBehaviorSubject,
  Observable as RxObservable,
  Subject as RxSubject,
  Subscriber as RxSubscriber,
} from 'rxjs';
import { BehaviorSubject as BehaviorSubjectClass } from 'rxjs/internal/BehaviorSubject';
import { Observable as ObservableClass } from 'rxjs/internal/Observable';
import { Subject as SubjectClass } from 'rxjs/internal/Subject';

/**
 * The parts of rxjs that this package uses, loaded file by file: its entry point loads some two hundred files, five times
 * what the rest of this package takes. They are the same classes; their types are those of the entry point.
 */
export const BehaviorSubject: typeof RxBehaviorSubject = BehaviorSubjectClass;
export type BehaviorSubject<Value> = RxBehaviorSubject<Value>;
export const Observable: typeof RxObservable = ObservableClass;
export type Observable<Value> = RxObservable<Value>;
export const Subject: typeof RxSubject = SubjectClass;
export type Subject<Value> = RxSubject<Value>;
export type Subscriber<Value> = RxSubscriber<Value>;
