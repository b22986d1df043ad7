import React, { useState as state, memo } from 'react';
import * as path from "node:path";
import './polyfill.js';
export { default as Button, Link } from './ui';
export * from './icons';
const fs = require('fs');
const { join, resolve: absolute } = require('path');
const parse = require('url').parse;
require('./setup');

export const GREETING = 'héllo → wörld';
let counter = 0, step = 1;
var legacy;

/** Adds two numbers. */
export function add(a, b) {
  const sum = a + b;
  function inner() { return sum; }
  return inner();
}

// Walks a tree lazily.
function* walk(node) {
  yield* node.children.map(walk);
}

/**
 * Doubles a number.
 *
 * @param {number} x
 */
export const double = async (x) => {
  await import('./lazy.js');
  return add(x, x);
};

/* A shape with sides. */
class Shape extends React.Component {
  static sides = 4;
  #secret = 1;
  handle = (event) => this.draw(event);

  // Makes a shape.
  constructor(name) {
    super(name);
    this.name = name;
  }

  get area() { return this.#secret; }

  async draw(event) {
    const [on, setOn] = state(false);
    return <Panel title="größe"><Shape.Icon on={on} /><b>{path.join(event)}</b></Panel>;
  }
}

const api = {
  list() { return fs.readdirSync('.'); },
  remove: function (id) { return id; },
  'find-one': (id) => id,
  limit: 10,
};

// Makes a point.
function Point(x) { this.x = x; }
Point.prototype.norm = function () { return Math.abs(this.x); };
Point.prototype = { clone() { return new Point(this.x); } };
Point.origin = () => new Point(0);

exports.start = function start(port) { return listen(port); };
module.exports.stop = () => counter++;
module.exports = function createApp() {};
export default class App {}
