import type * as rxjs from 'rxjs';
import { BehaviorSubject as BehaviorSubjectClass } from 'rxjs/internal/BehaviorSubject';
import { Observable as ObservableClass } from 'rxjs/internal/Observable';
import { Subject as SubjectClass } from 'rxjs/internal/Subject';

/**
 * The parts of rxjs that this package uses, loaded file by file: its entry point loads some two hundred files, five times
 * what the rest of this package takes. They are the same classes; their types are those of the entry point.
 */
export const BehaviorSubject: typeof rxjs.BehaviorSubject = BehaviorSubjectClass;
export type BehaviorSubject<Value> = rxjs.BehaviorSubject<Value>;
export const Observable: typeof rxjs.Observable = ObservableClass;
export type Observable<Value> = rxjs.Observable<Value>;
export const Subject: typeof rxjs.Subject = SubjectClass;
export type Subject<Value> = rxjs.Subject<Value>;
export type Subscriber<Value> = rxjs.Subscriber<Value>;
