import type { Config } from './config';
import Store, { type Item, open as openStore } from "./store";
import * as path from 'path';
import fs = require('fs');
export * as icons from './icons';

export const GREETING: string = 'héllo → wörld';
declare const VERSION: string;

/** What can be drawn. */
export interface Drawable<T> extends Base {
  readonly id: number;
  draw(target: T): void;
  onClick?: (x: number) => void;
}

/** A pair of things. */
export type Pair<A, B = A> = { left: A; right: B };
type Id = string | number;

// Where things are.
export const enum Side {
  Left,
  Right = 'right',
}

export function pick(a: string): string;
export function pick(a: number): number;
export function pick(a: any): any {
  const local = a;
  return local as Id;
}

export abstract class Shape<T extends object> implements Drawable<T> {
  static count = 0;
  private readonly cache: Map<string, T> = new Map();
  protected abstract area(): number;

  /** Makes a shape. */
  constructor(private readonly store: Store, public id: number, extra?: Config) {
    store.add(extra);
  }

  @log()
  draw(target: T): void {
    openStore<Item>(path.join('a', GREETING));
  }

  handle = async (event: Event): Promise<void> => {
    await import('./lazy');
    this.draw(event as any);
  };

  get name(): string { return this.cache.get('größe')!; }
}

class Circle extends Shape<Circle> {
  area() { return 1; }
}

// Geometry for all.
export namespace Geometry.Plane {
  export const origin = 0;
  export function norm(x: number) { return Math.abs(x); }
}

declare module 'shapes' {
  export function load(name: string): Circle;
}

declare function legacy(x: Id): void;

export const make = <T,>(x: T): Pair<T> => ({ left: x, right: x });

export default function main(): void {
  new Circle(new Store(), 1);
}
